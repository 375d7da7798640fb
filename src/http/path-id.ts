import type { Context } from 'hono'

/** The id in the path; 0, which no row has, if it is not a positive integer. */
export function pathId(c: Context): number {
  const text = c.req.param('id') ?? ''
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : 0
  return Number.isSafeInteger(id) ? id : 0
}
