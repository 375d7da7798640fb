import type { LoggedRow } from '../database/schema.ts'
import type { CalendarDate } from '../shared/dates.ts'
import type { changeCauses, loggedOperations, writerKinds } from '../shared/types.ts'

/*
 * The difference of a check is what it was when the check was made (`base`) and the effects of later entries of the log that
 * are dated up to its day. Nothing is stored when a check breaks: it is found by going through the log in its order.
 */

/** The columns of a check that its difference depends on. Amounts are in minor units. */
export type Checked = {
  id: number
  accountId: number
  date: CalendarDate
  base: bigint
  afterEntry: number
  brokenSince: Date | null
  brokenCount: number
}

/** An entry of the log: a change that moved the balance of an account from `date` on. */
export type Entry = {
  id: number
  accountId: number
  date: CalendarDate
  effect: bigint
  /** Null for entries about several rows. */
  transactionId: number | null
  importId: number | null
  /** How many transactions it is about. */
  count: number
  /** Entries of one write have the same. */
  writeId: number
  at: Date
}

/** What an entry says besides: what the change was, and who made it. */
export type EntryDetails = {
  op: (typeof loggedOperations)[number]
  before: LoggedRow | null
  after: LoggedRow | null
  byKind: (typeof writerKinds)[number]
  byName: string | null
  tokenId: number | null
  cause: (typeof changeCauses)[number] | null
}

export type Difference<E extends Entry = Entry> = {
  /** The account's balance minus the bank's. */
  difference: bigint
  /** True if the two were equal at any time since the check was made. */
  wasOk: boolean
  /** When the difference was last 0 before it became what it is; null for a check that is ok or never was. */
  brokenAt: Date | null
  /** The changes since then or, if the check never was ok, since it was made; without those that cancel each other. */
  changes: E[]
  /** Changes since then that are not in the log any more. */
  folded: { effect: bigint; count: number; at: Date } | null
}

/** Returns the differences of checks by their ids. Goes through the entries once; they are of any accounts, in their order. */
export function differencesOf<E extends Entry>(checks: Checked[], entries: E[]): Map<number, Difference<E>> {
  const running = Map.groupBy(
    checks.map((check) => new Running(check)),
    ({ check }) => check.accountId,
  )
  for (const [nth, entry] of entries.entries()) {
    const ofAccount = running.get(entry.accountId) ?? []
    for (const one of ofAccount) one.add(entry)
    if (entries[nth + 1]?.writeId !== entry.writeId) for (const one of ofAccount) one.endWrite(entry)
  }
  const logged = Map.groupBy(entries, ({ accountId }) => accountId)
  const all = [...running.values()].flat()
  return new Map(all.map((one) => [one.check.id, one.result(logged.get(one.check.accountId) ?? [])]))
}

/** The running difference of a check. */
class Running {
  readonly check: Checked
  #difference: bigint
  /** The last entry after which the difference was 0. Within a write it may be 0 by chance, so only its end counts. */
  #lastOk: number | undefined

  constructor(check: Checked) {
    this.check = check
    this.#difference = check.base
    if (check.base === 0n) this.#lastOk = check.afterEntry
  }

  #concerns({ id, date }: Entry): boolean {
    return id > this.check.afterEntry && date <= this.check.date
  }

  add(entry: Entry): void {
    if (this.#concerns(entry)) this.#difference += entry.effect
  }

  endWrite({ id }: Entry): void {
    if (this.#difference === 0n && id > this.check.afterEntry) this.#lastOk = id
  }

  result<E extends Entry>(entries: E[]): Difference<E> {
    const { brokenSince, brokenCount, base, afterEntry } = this.check
    const wasOk = this.#lastOk !== undefined || brokenSince !== null
    const difference = this.#difference
    if (difference === 0n) return { difference, wasOk, brokenAt: null, changes: [], folded: null }
    const from = this.#lastOk ?? afterEntry
    const changes = withoutCancelled(entries.filter((entry) => entry.id > from && this.#concerns(entry)))
    const folded =
      brokenSince && this.#lastOk === undefined ? { effect: base, count: brokenCount, at: brokenSince } : null
    const brokenAt = wasOk ? (folded?.at ?? changes[0]?.at ?? null) : null
    return { difference, wasOk, brokenAt, changes, folded }
  }
}

/** Leaves out the entries of a row, or of an import, whose effects add up to nothing. */
function withoutCancelled<E extends Entry>(entries: E[]): E[] {
  const keyOf = ({ transactionId, importId }: E) =>
    transactionId !== null ? `row ${transactionId}` : importId !== null ? `import ${importId}` : null
  const sums = new Map<string, bigint>()
  for (const entry of entries) {
    const key = keyOf(entry)
    if (key !== null) sums.set(key, (sums.get(key) ?? 0n) + entry.effect)
  }
  return entries.filter((entry) => sums.get(keyOf(entry) ?? '') !== 0n)
}
