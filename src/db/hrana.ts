import { BatchFailed } from './errors.ts'
import type { Answer, Argument } from './prepared.ts'

/*
 * What the database's server speaks: Hrana 2, as JSON over HTTP. Of the protocol this is the one request that we make, a
 * batch that is one transaction.
 */

/** Where a database takes requests. `libsql:` means `https:`. */
export function pipelineOf(url: string): URL {
  return new URL('v2/pipeline', url.replace(/^libsql:/, 'https:'))
}

/** A transaction that begins as a reader fails at once if it writes after another writer came in between. */
const beginnings = { read: 'BEGIN TRANSACTION READONLY', write: 'BEGIN IMMEDIATE' }
export type Mode = keyof typeof beginnings

/** The request that runs statements in a transaction, each only if all before it succeeded, and leaves nothing open. */
export function batchOf(statements: { sql: string; args: Argument[] }[], mode: Mode): string {
  const run = statements.map(({ sql, args }) => ({ sql, args: args.map(toValue), want_rows: true }))
  const all = [{ sql: beginnings[mode] }, ...run, { sql: 'COMMIT' }]
  const steps = all.map((stmt, step) =>
    step === 0 ? { stmt } : { stmt, condition: { type: 'ok', step: step - 1 } },
  )
  const isCommitted = { type: 'ok', step: steps.length - 1 }
  const rollback = { stmt: { sql: 'ROLLBACK' }, condition: { type: 'not', cond: isCommitted } }
  return JSON.stringify({
    requests: [{ type: 'batch', batch: { steps: [...steps, rollback] } }, { type: 'close' }],
  })
}

/** Numbers go as floats, which columns of integers store as integers. */
function toValue(argument: Argument) {
  if (argument === null) return { type: 'null' }
  if (typeof argument === 'string') return { type: 'text', value: argument }
  if (typeof argument === 'boolean') return { type: 'integer', value: argument ? '1' : '0' }
  return { type: 'float', value: Number(argument) }
}

/** The server's answer to a batch, as far as we read it. A step that was not executed is null. */
type Body = { results?: Outcome[] } | null
type Outcome = { response?: { result?: Partial<BatchResult> }; error?: Refusal }
type BatchResult = { step_results: (Step | null)[]; step_errors: (Refusal | null)[] }
type Refusal = { message: string; code?: string }
type Step = {
  cols: { name: string }[]
  rows: Cell[][]
  affected_row_count: number
  rows_read?: number
  rows_written?: number
}
type Cell = { type: 'null' | 'integer' | 'float' | 'text'; value: string | number }

/**
 * Reads the answer to so many statements. `count` is told the rows that each step read and wrote, whatever came of the
 * batch. Throws BatchFailed.
 */
export function readBatch(
  body: unknown,
  statements: number,
  count: (read: number, written: number) => void,
): Answer[] {
  const results = (body as Body)?.results
  const [batch] = Array.isArray(results) ? results : []
  const { step_results: steps, step_errors: errors } = batch?.response?.result ?? {}
  if (!Array.isArray(steps) || !Array.isArray(errors)) throw failed(batch?.error ?? notOfDatabase)
  for (const step of steps) count(step?.rows_read ?? 0, step?.rows_written ?? 0)
  const error = errors.find((error) => error !== null)
  if (error) throw failed(error)
  // The first step is BEGIN.
  return Array.from({ length: statements }, (_, at) => readStep(steps[at + 1] ?? notExecuted()))
}

const notOfDatabase = { message: 'The answer is not that of a database' }

function failed({ message, code }: Refusal): BatchFailed {
  return new BatchFailed(message, code)
}

function notExecuted(): never {
  throw failed({ message: 'A statement was not executed' })
}

function readStep({ cols, rows, affected_row_count }: Step): Answer {
  return {
    columns: cols.map(({ name }) => name),
    rows: rows.map((row) => row.map(readCell)),
    result: { rowsAffected: affected_row_count },
  }
}

function readCell({ type, value }: Cell): string | number | null {
  if (type === 'null') return null
  if (type !== 'integer') return value
  const number = Number(value)
  if (!Number.isSafeInteger(number))
    throw new RangeError('The database sent an integer beyond the safe range')
  return number
}
