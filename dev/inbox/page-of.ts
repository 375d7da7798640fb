import type { Mail } from './mail.ts'
import { invalid } from './resend-error.ts'

const defaultLimit = 20
const largestLimit = 100

/** The page of emails, newest first, that `limit`, `after` and `before` ask for. */
export function pageOf(mails: Mail[], query: URLSearchParams): { data: Mail[]; has_more: boolean } {
  const limit = Number(query.get('limit') ?? defaultLimit)
  if (!Number.isInteger(limit) || limit < 1 || limit > largestLimit) {
    throw invalid(`The pagination limit must be a number between 1 and ${largestLimit}.`)
  }
  const after = query.get('after')
  const before = query.get('before')
  if (after !== null && before !== null) {
    throw invalid('Only one of `after` and `before` can be given.')
  }
  if (before !== null) {
    const end = indexOf(mails, before)
    const start = Math.max(0, end - limit)
    return { data: mails.slice(start, end), has_more: start > 0 }
  }
  const start = after === null ? 0 : indexOf(mails, after) + 1
  return { data: mails.slice(start, start + limit), has_more: start + limit < mails.length }
}

function indexOf(mails: Mail[], id: string): number {
  const index = mails.findIndex((mail) => mail.id === id)
  if (index === -1) throw invalid('The pagination cursor is not the id of an email.')
  return index
}
