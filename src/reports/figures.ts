import { sql } from 'drizzle-orm'
import { formatNumber } from '../domain/doc.ts'
import { Invalid } from '../failures/failures.ts'

// Other limits: failures/limits.ts.

/** The most figures of a report, whose rows must fit into the database's limit of 10 MB a response. */
export const maxFigures = 50_000

/** Ends a query of figures once there are too many for `requireFigures`. */
export const limitFigures = sql`limit ${sql.raw(`${maxFigures + 1}`)}`

/** Throws Invalid if a report would have too many figures. */
export function requireFigures(count: number, field = 'from'): void {
  if (count <= maxFigures) return
  throw new Invalid({ [field]: [`The report must not have more than ${formatNumber(maxFigures)} figures.`] })
}
