import type { Context } from 'hono'

/** An id no row has: what a path says that names no row. */
const noRow = 0

/** The id in the path. One that is no positive integer names no row, and the service answers as for any absent one. */
export function pathId(c: Context): number {
  const text = c.req.param('id') ?? ''
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : noRow
  return Number.isSafeInteger(id) ? id : noRow
}
