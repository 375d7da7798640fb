import type { LoggedRow } from '../database/schema.ts'
import type { CalendarDate } from '../domain/dates.ts'
import type { changeCauses, loggedOperations, writerKinds } from '../domain/types.ts'

/*
 * The difference of a check comes from kept sums (triggers/balance-checks.sql). What broke it, and when, is told by the log,
 * as far back as it reaches: going from the newest entry back, the difference was what it is now without their effects.
 */

/** The columns of a check that its story depends on. Amounts are in minor units. */
export type Checked = {
  id: number
  accountId: number
  date: CalendarDate
  /** The account's balance minus the bank's. */
  difference: bigint
  /** The difference when the check got its day and balance, and the last entry of the log then. */
  base: bigint
  afterEntry: number
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

/** The details of an entry: the change, and who made it. */
export type EntryDetails = {
  op: (typeof loggedOperations)[number]
  before: LoggedRow | null
  after: LoggedRow | null
  byKind: (typeof writerKinds)[number]
  byName: string | null
  tokenId: number | null
  cause: (typeof changeCauses)[number] | null
}

/** The story of a check, from the log. */
export type Story<E extends Entry = Entry> = {
  /** True if there was no difference at any time since the check was made. */
  wasOk: boolean
  /** When the difference was last 0 before it became what it is; null for a check that is ok or never was, or if unknown. */
  brokenAt: Date | null
  /** The changes since then or, if the check never was ok, since it was made; without those that cancel each other. */
  changes: () => E[]
  /** The part of the difference that no change explains: older ones are not in the log any more. */
  unexplained: bigint
}

/** Returns what the entries, in their order, tell of a check of their account. */
export function storyOf<E extends Entry>(check: Checked, entries: E[]): Story<E> {
  const { difference, base, date, afterEntry } = check
  if (difference === 0n) return { wasOk: true, brokenAt: null, changes: () => [], unexplained: 0n }
  const later = entries.filter((entry) => entry.id > afterEntry && entry.date <= date)
  const { start, before } = lastOk(difference, later)
  const isFound = before === 0n
  const wasOk = isFound || base === 0n
  const unexplained = isFound ? 0n : before - base
  const since = later.slice(start)
  const brokenAt = wasOk && unexplained === 0n ? (since[0]?.at ?? null) : null
  return { wasOk, brokenAt, changes: () => withoutCancelled(since), unexplained }
}

/**
 * The position of the first entry after the difference was last 0, or of the first of all; and the difference before it.
 * Within a write it may be 0 by chance, so only its end counts.
 */
function lastOk(difference: bigint, entries: Entry[]): { start: number; before: bigint } {
  let before = difference
  for (let start = entries.length; start > 0; start--) {
    const { effect, writeId } = entries[start - 1] as Entry
    if (before === 0n && entries[start]?.writeId !== writeId) return { start, before }
    before -= effect
  }
  return { start: 0, before }
}

/** The entries without those of a row or an import that add up to nothing. */
function withoutCancelled<E extends Entry>(entries: E[]): E[] {
  const sums = new Map<string, bigint>()
  for (const entry of entries) sums.set(keyOf(entry), (sums.get(keyOf(entry)) ?? 0n) + entry.effect)
  return entries.filter((entry) => sums.get(keyOf(entry)) !== 0n)
}

/** Names the row or the import of an entry, whose entries may cancel each other. */
function keyOf({ id, transactionId, importId }: Entry): string {
  if (transactionId !== null) return `row ${transactionId}`
  return importId !== null ? `import ${importId}` : `entry ${id}`
}
