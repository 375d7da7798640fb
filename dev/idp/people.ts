import { createHash } from 'node:crypto'

/** Whether the provider vouches for the address, which real ones do not always do. */
export type AddressState = 'verified' | 'unverified' | 'absent'

export type Person = { address: string; name: string; addressState: AddressState }

const peopleKept = 10_000
const addressShape = /^[^\s@<>]+@[^\s@<>]+$/

/** True if the text can be a person's address. */
export function isAddress(text: string): boolean {
  return text.length <= 254 && addressShape.test(text)
}

/** The verified person of a `login_hint`: `anna.smith@example.com` is called Anna Smith. */
export function personOf(address: string): Person {
  return { address, name: nameFrom(address), addressState: 'verified' }
}

/** A name made from the part before the @. */
export function nameFrom(address: string): string {
  const words = (address.split('@')[0] ?? '').split(/[._+-]+/).filter(Boolean)
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ') || address
}

/** The 10,000 people who signed in last, by their subject. */
export class People {
  #bySubject = new Map<string, Person>()

  /** Records that a person has signed in, and returns their subject. */
  add(person: Person): string {
    const subject = subjectOf(person)
    this.#bySubject.delete(subject)
    this.#bySubject.set(subject, person)
    const [oldest] = this.#bySubject.keys()
    if (this.#bySubject.size > peopleKept && oldest !== undefined) this.#bySubject.delete(oldest)
    return subject
  }

  find(subject: string): Person | undefined {
    return this.#bySubject.get(subject)
  }
}

/** The person's id at the provider: the same for every spelling of the address, in every run. */
function subjectOf({ address }: Person): string {
  // ASCII only: in lower case, U+212A KELVIN SIGN becomes a k, which would be another person.
  const spelling = address.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
  return createHash('sha256').update(spelling).digest('hex').slice(0, 32)
}
