import { createClient, type TransactionMode } from '@libsql/client/http'
import type { Query } from 'drizzle-orm'
import type { LibSQLDatabase } from 'drizzle-orm/libsql'
import { BaseSQLiteDatabase, SQLiteAsyncDialect, SQLiteSession } from 'drizzle-orm/sqlite-core'
import type { Deadline } from '../domain/deadline.ts'
import { BadStatus, translateDatabaseErrors } from './errors.ts'
import { Meter } from './meter.ts'
import type { Bound, DrizzleQuery, Field } from './prepared.ts'
import { withRetries } from './retries.ts'

const dialect = new SQLiteAsyncDialect({ casing: 'snake_case' })

/** The session that Drizzle needs to build a statement. It sends nothing, and hands over what Drizzle has built. */
class Unsent extends (SQLiteSession as unknown as new (own: typeof dialect) => object) {
  prepareOneTimeQuery(query: Query, fields: Field[] | undefined): DrizzleQuery {
    return { getQuery: () => query, fields }
  }
}

/** Builds statements. It is not connected to anything, so an isolate needs only one. */
export const builder = new BaseSQLiteDatabase(
  'async',
  dialect,
  new Unsent(dialect) as never,
  undefined,
) as unknown as Omit<LibSQLDatabase, 'batch'>

/** Builds statements, and sends them. */
export type Database = typeof builder & {
  /**
   * Runs statements in one transaction and one round trip, and again after a failure if that is safe and useful
   * (retries.ts). Throws what db/errors.ts makes of the driver's errors, and whatever the pace throws (TooBusy).
   */
  send(statements: Bound[]): Promise<unknown[]>
}

/** Makes a request wait before it asks the database, and before it reads an answer (http/turns.ts). */
export type Pace = { beforeAsking(): Promise<void>; beforeReading(): Promise<void> }

const noPace: Pace = { beforeAsking: async () => {}, beforeReading: async () => {} }

/** Where the database is, and how long a round trip may take. */
export type DatabaseAddress = { url: string; authToken?: string | undefined; timeoutMs: number }

/**
 * Opens the database for one run (deps.ts). A deadline covers all round trips together; without one, each gets the
 * time-out of the address. The meter counts round trips and the rows they cost.
 */
export function openDatabase(
  address: DatabaseAddress,
  {
    meter = new Meter(),
    deadline = () => AbortSignal.timeout(address.timeoutMs),
    pace = noPace,
  }: { meter?: Meter; deadline?: Deadline | undefined; pace?: Pace | undefined } = {},
): Database {
  const send = async (statements: Bound[]) => {
    await pace.beforeAsking()
    // The driver's default mode begins as a reader: a transaction that reads first and writes later would fail at once,
    // instead of waiting its turn, if another writer came in between.
    const mode = statements.every(({ isRead }) => isRead) ? 'read' : 'write'
    const run = () => translateDatabaseErrors(attempt(address, statements, mode, { meter, deadline, pace }))
    return meter.timeDatabase(withRetries(run, mode, deadline()))
  }

  return Object.assign(Object.create(builder), { send })
}

/** Each attempt has a client of its own: a shared one limits parallel calls, so calls that hang would block the others. */
async function attempt(
  { url, authToken }: DatabaseAddress,
  statements: Bound[],
  mode: TransactionMode,
  { meter, deadline, pace }: { meter: Meter; deadline: Deadline; pace: Pace },
): Promise<unknown[]> {
  let steps: (Step | null)[] = []
  const client = createClient({
    url,
    ...(authToken && { authToken }),
    fetch: async (request: Request) => {
      meter.countRoundTrip()
      const response = await ask(request, deadline())
      await pace.beforeReading()
      return tapped(response, (found) => {
        steps = found
        for (const step of found) meter.countRows(step?.rows_read ?? 0, step?.rows_written ?? 0)
      })
    },
  })
  // A single read is a transaction in itself, and is less work for the driver than a batch.
  const isAlone = mode === 'read' && statements.length === 1
  const results = isAlone
    ? [await client.execute(statements[0] as Bound)]
    : await client.batch(statements.map(withItsText), mode)
  // The first step of a batch is BEGIN.
  if (!isAlone) steps.shift()
  return statements.map(({ decode }, index) =>
    decode({ ...readStep(steps[index] as Step), result: results[index] }),
  )
}

/**
 * A statement of a batch, with its text as an object. The driver would first store a primitive string on the server, with
 * an extra entry in the same request. That helps only batches that repeat their texts, which ours hardly ever do.
 */
function withItsText({ sql, args }: Bound): [sql: string, args: Bound['args']] {
  return [Object(sql) as string, args]
}

/** Passes on only successful answers: the driver would mistake the JSON of any other for an error of the database. */
async function ask(request: Request, signal: AbortSignal): Promise<Response> {
  const response = await fetch(request, { signal })
  if (response.ok) return response
  await response.body?.cancel()
  throw new BadStatus(response.status)
}

/** The server's answer to a statement that was executed. One that was not has null in its place. */
type Step = { cols: { name: string }[]; rows: Cell[][]; rows_read?: number; rows_written?: number }
type Cell = { type: 'null' | 'integer' | 'float' | 'text'; value: string | number }

/**
 * Takes rows and costs out of an answer as the driver parses it. The driver would discard the costs, and take ten times
 * as long to turn the rows into objects of its own.
 */
function tapped(response: Response, take: (steps: (Step | null)[]) => void): Response {
  const parse = response.json.bind(response)
  const json = async () => {
    const parsed = (await parse()) as { results?: StreamResult[] } | null
    // Whatever answered may not be a database; the driver reports that.
    const results = Array.isArray(parsed?.results) ? parsed.results : []
    for (const answer of results.map((one) => one?.response)) {
      const { result } = answer ?? {}
      if (answer && Array.isArray(result?.step_results)) {
        take(result.step_results)
        answer.result = { ...result, step_results: result.step_results.map(withoutRows) }
      } else if (answer && Array.isArray(result?.rows)) {
        take([result as Step])
        answer.result = withoutRows(result as Step)
      }
    }
    return parsed
  }
  return Object.assign(response, { json })
}

/** The answer to a batch lists its steps; the answer to a single statement is itself a step. */
type StreamResult = { response?: { result?: Partial<Step> & { step_results?: (Step | null)[] } } }

function withoutRows<T extends Partial<Step> | null>(step: T): T {
  return Array.isArray(step?.rows) ? { ...step, cols: [], rows: [] } : step
}

function readStep({ cols, rows }: Step) {
  return { columns: cols.map(({ name }) => name), rows: rows.map((row) => row.map(readCell)) }
}

function readCell({ type, value }: Cell): string | number | null {
  if (type === 'null') return null
  if (type !== 'integer') return value
  const number = Number(value)
  if (!Number.isSafeInteger(number))
    throw new RangeError('The database sent an integer beyond the safe range')
  return number
}
