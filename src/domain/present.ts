/** The times of a row as responses show them. */
export function presentTimestamps(row: { createdAt: Date; updatedAt: Date }) {
  return { created_at: row.createdAt.toISOString(), updated_at: row.updatedAt.toISOString() }
}
