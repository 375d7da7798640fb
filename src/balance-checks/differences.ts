import type { LoggedRow } from '../database/schema.ts'
import type { CalendarDate } from '../domain/dates.ts'
import type { changeCauses, loggedOperations, writerKinds } from '../domain/types.ts'

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
  changes: () => E[]
  /** Changes since then that are not in the log any more. */
  folded: { effect: bigint; count: number; at: Date } | null
}

/** Returns the differences of checks by their ids; the entries are of any accounts, in their order. */
export function differencesOf<E extends Entry>(checks: Checked[], entries: E[]): Map<number, Difference<E>> {
  const logged = Map.groupBy(entries, ({ accountId }) => accountId)
  const checked = Map.groupBy(checks, ({ accountId }) => accountId)
  const found = [...checked].flatMap(([id, own]) => differencesOfAccount(own, logged.get(id) ?? []))
  return new Map(found)
}

function differencesOfAccount<E extends Entry>(checks: Checked[], entries: E[]): [number, Difference<E>][] {
  const byDay = checks.toSorted((a, b) => (a.date < b.date ? -1 : 1))
  const log = new AccountLog(byDay, entries)
  const differences = log.differences()
  return byDay.map(({ id, brokenSince, brokenCount, base }, nth) => {
    const difference = differences[nth] ?? base
    const { index, isOk } = log.lastOk(nth, difference)
    const wasOk = isOk || brokenSince !== null
    const folded = brokenSince && !isOk ? { effect: base, count: brokenCount, at: brokenSince } : null
    const isBroken = difference !== 0n
    const changes = () => (isBroken ? [...log.changes(nth, index)] : [])
    const since = () => folded?.at ?? log.changes(nth, index).next().value?.at ?? null
    const brokenAt = isBroken && wasOk ? since() : null
    return [id, { difference, wasOk, brokenAt, changes, folded: isBroken ? folded : null }]
  })
}

/** The entries of an account, and its checks by their days: an entry concerns those from one on. */
class AccountLog<E extends Entry> {
  readonly #checks: Checked[]
  readonly #entries: E[]
  /** For each entry, the first check that it concerns, by its day. */
  readonly #firsts: number[]
  /** The positions of all entries of a row, or of an import. */
  readonly #groups: Map<string, number[]>

  constructor(checks: Checked[], entries: E[]) {
    this.#checks = checks
    this.#entries = entries
    const firstOf = new Map<string, number>()
    this.#firsts = entries.map(({ date }) => {
      const first = firstOf.get(date) ?? checks.findIndex((check) => check.date >= date)
      firstOf.set(date, first)
      return first < 0 ? checks.length : first
    })
    this.#groups = Map.groupBy(entries.keys(), (index) => keyOf(entries[index] as E))
  }

  /** The difference of each check. Goes through the entries once, from the newest one back. */
  differences(): bigint[] {
    const sums = this.#checks.map(() => 0n)
    const differences = this.#checks.map(({ base }) => base)
    let index = this.#entries.length - 1
    const newestFirst = [...this.#checks.entries()].sort(([, a], [, b]) => b.afterEntry - a.afterEntry)
    for (const [nth, { base, afterEntry }] of newestFirst) {
      for (; index >= 0 && this.#entry(index).id > afterEntry; index--) {
        const first = this.#firsts[index] ?? 0
        if (first < sums.length) sums[first] = (sums[first] ?? 0n) + this.#entry(index).effect
      }
      differences[nth] = sums.slice(0, nth + 1).reduce((sum, effect) => sum + effect, base)
    }
    return differences
  }

  /**
   * The position of the last entry after which the difference of a check was 0 or, if it never was, of the last one before
   * the check. Within a write it may be 0 by chance, so only its end counts.
   */
  lastOk(nth: number, difference: bigint): { index: number; isOk: boolean } {
    const { base = 0n, afterEntry = 0 } = this.#checks[nth] ?? {}
    let left = difference
    let index = this.#entries.length - 1
    for (; index >= 0 && this.#entry(index).id > afterEntry; index--) {
      const { effect, writeId } = this.#entry(index)
      if (left === 0n && this.#entries[index + 1]?.writeId !== writeId) return { index, isOk: true }
      if (this.#concerns(index, nth)) left -= effect
    }
    return { index, isOk: base === 0n }
  }

  /** Yields the entries after a position that concern a check, without those of a row or an import that add up to nothing. */
  *changes(nth: number, after: number): Generator<E, undefined> {
    const cancelled = new Map<string, boolean>()
    for (let index = after + 1; index < this.#entries.length; index++) {
      if (!this.#concerns(index, nth)) continue
      const entry = this.#entry(index)
      const key = keyOf(entry)
      const isCancelled = cancelled.get(key) ?? this.#sum(key, nth, after) === 0n
      cancelled.set(key, isCancelled)
      if (!isCancelled) yield entry
    }
  }

  #sum(key: string, nth: number, after: number): bigint {
    const own = (this.#groups.get(key) ?? []).filter((index) => index > after && this.#concerns(index, nth))
    return own.reduce((sum, index) => sum + this.#entry(index).effect, 0n)
  }

  #concerns(index: number, nth: number): boolean {
    return (this.#firsts[index] ?? 0) <= nth
  }

  #entry(index: number): E {
    return this.#entries[index] as E
  }
}

/** Names the row or the import of an entry, whose entries may cancel each other. */
function keyOf({ id, transactionId, importId }: Entry): string {
  if (transactionId !== null) return `row ${transactionId}`
  return importId !== null ? `import ${importId}` : `entry ${id}`
}
