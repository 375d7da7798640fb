import { createHash } from 'node:crypto'

/** Whether the provider vouches for the address, which real ones do not always do. */
export type AddressState = 'verified' | 'unverified' | 'absent'

export type Person = { address: string; name: string; addressState: AddressState }

const signInsKept = 10_000
const addressShape = /^[^\s@<>]+@[^\s@<>]+$/

/** True if the text can be a person's address. */
export function isAddress(text: string): boolean {
  return text.length <= 254 && addressShape.test(text)
}

/** The verified person that a `login_hint` stands for: `anna.smith@example.com` is called Anna Smith. */
export function personOf(address: string): Person {
  return { address, name: nameFrom(address), addressState: 'verified' }
}

/** A name made from the part before the @. */
export function nameFrom(address: string): string {
  const words = (address.split('@')[0] ?? '').split(/[._+-]+/).filter(Boolean)
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ') || address
}

/** The person's lasting id at the provider: the same for every spelling of the address, in every run. */
export function subjectOf({ address }: Person): string {
  // ASCII only: in lower case, U+212A KELVIN SIGN becomes a k, which would be somebody else.
  const spelling = address.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
  return createHash('sha256').update(spelling).digest('hex').slice(0, 32)
}

/** The 10,000 people who signed in last, and those of the last 10,000 grants as they were then. */
export class People {
  #bySubject = new Map<string, Person>()
  #byGrant = new Map<string, Person>()

  /** Records that a person has signed in, and returns their subject. */
  remember(person: Person): string {
    const subject = subjectOf(person)
    this.#bySubject.delete(subject)
    setBounded(this.#bySubject, subject, person)
    return subject
  }

  /** Ties a grant to the person as they are now: a later sign-in with the same address may differ. */
  tie(grantId: string, subject: string): void {
    const person = this.#bySubject.get(subject)
    if (person) setBounded(this.#byGrant, grantId, person)
  }

  /** The person with that subject; given a grant, as they were at its sign-in. */
  find(subject: string, grantId?: string): Person | undefined {
    return (grantId ? this.#byGrant.get(grantId) : undefined) ?? this.#bySubject.get(subject)
  }

  /** Who signed in last, newest first. */
  latest(count: number): Person[] {
    return [...this.#bySubject.values()].slice(-count).reverse()
  }
}

function setBounded<T>(map: Map<string, T>, key: string, value: T): void {
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > signInsKept && oldest !== undefined) map.delete(oldest)
}
