import type { CalendarDate } from '../domain/dates.ts'

/**
 * Where a client is in its feed of changes; cursor-check.ts checks whether the feed can continue from there. It gives access
 * to nothing but the client's own data, so it is neither signed nor encrypted; the contract tells clients to treat it as
 * opaque.
 */
export type FeedCursor = {
  /** The configured epoch, which is raised when data is restored from a backup. */
  epoch: number
  userId: number
  /** The number of the last change that the client has seen; in a snapshot, of the last one before it began. */
  seq: number
  /** The last row sent, if a snapshot is under way. */
  lastRow?: SnapshotRow
}

/** The nouns of a snapshot whose rows come before the transactions. */
export const nounsBefore = ['account', 'category', 'recurring', 'balance_check'] as const

/** A row of a snapshot, with what is needed to find the rows after it. */
export type SnapshotRow =
  | { noun: (typeof nounsBefore)[number]; id: number }
  | { noun: 'transaction'; id: number; date: CalendarDate }

/** Writes a cursor as text that needs no escaping in a URL. */
export function writeCursor({ epoch, userId, seq, lastRow }: FeedCursor): string {
  const place = lastRow ? Object.values(lastRow) : []
  const text = btoa(JSON.stringify([epoch, userId, seq, ...place]))
  return text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

/** Reads what `writeCursor` has written; undefined for anything else. */
export function readCursor(text: string): FeedCursor | undefined {
  const [epoch, userId, seq, ...place] = partsOf(text)
  const [noun, id, date] = place
  if (![epoch, userId, seq].every(isCount)) return undefined
  const cursor = { epoch, userId, seq } as FeedCursor
  if (place.length === 0) return cursor
  if (!isCount(id)) return undefined
  const before = nounsBefore.find((one) => one === noun)
  if (place.length === 2 && before) return { ...cursor, lastRow: { noun: before, id } }
  const isDate = typeof date === 'string' && /^\d{4}-\d\d-\d\d$/.test(date)
  if (place.length === 3 && noun === 'transaction' && isDate)
    return { ...cursor, lastRow: { noun, id, date } }
  return undefined
}

function partsOf(text: string): unknown[] {
  if (!/^[\w-]{1,255}$/.test(text)) return []
  try {
    const parts: unknown = JSON.parse(atob(text.replaceAll('-', '+').replaceAll('_', '/')))
    return Array.isArray(parts) ? parts : []
  } catch {
    return []
  }
}

function isCount(part: unknown): part is number {
  return Number.isSafeInteger(part) && (part as number) >= 0
}
