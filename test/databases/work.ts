/** What a database did, according to its responses and its traffic. */
export type Work = {
  /** Round trips of a client, without those that only close a stream. */
  requests: number
  /** Those of them that opened a stream. */
  opened: number
  /** Requests that only closed a stream. */
  closes: number
  requestBytes: number
  responseBytes: number
  /** Statements that were executed, without the BEGIN and COMMIT around a batch. */
  statements: number
  /** What Turso bills: rows read and written, including those of triggers, cascades and index entries. */
  rowsRead: number
  rowsWritten: number
}

export const noWork: Work = {
  requests: 0,
  opened: 0,
  closes: 0,
  requestBytes: 0,
  responseBytes: 0,
  statements: 0,
  rowsRead: 0,
  rowsWritten: 0,
}

// Texts of the data cannot look like this: their quotes are escaped.
const figures = /"rows_read":(\d+),"rows_written":(\d+)/g
const begin = /"sql":"BEGIN/

/** What one request has cost. */
export function workOf(request: Buffer, response: Buffer): Work {
  if (isClose(request)) return { ...noWork, closes: 1 }
  const opened = request.includes('"baton":"') ? 0 : 1
  const work = {
    ...noWork,
    requests: 1,
    opened,
    requestBytes: request.length,
    responseBytes: response.length,
  }
  for (const [, read, written] of response.toString().matchAll(figures)) {
    work.statements += 1
    work.rowsRead += Number(read)
    work.rowsWritten += Number(written)
  }
  if (work.statements > 0 && begin.test(request.toString())) work.statements -= 2
  return work
}

/** True for a request that only closes a stream. */
export function isClose(request: Buffer | string): boolean {
  return request.includes('"requests":[{"type":"close"}]')
}

/** How much a database worked, in one figure. */
export function rowsOf({ rowsRead, rowsWritten }: Pick<Work, 'rowsRead' | 'rowsWritten'>): number {
  return rowsRead + rowsWritten
}

export function sum(one: Work, other: Work): Work {
  const names = Object.keys(noWork) as (keyof Work)[]
  return Object.fromEntries(names.map((name) => [name, one[name] + other[name]])) as Work
}
