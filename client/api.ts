import type { Hono } from 'hono'
import type { hc } from 'hono/client'
import type { BlankEnv, ExtractSchema, Schema } from 'hono/types'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { routes } from '../src/app.ts'

type Served = ExtractSchema<typeof routes>
type Json<Path extends keyof Served, Method extends string> = Served[Path] extends {
  [M in Method]: { input: { json: infer Body } }
}
  ? Body
  : never

/** A transaction as POST /api/transactions takes it, alone or as an item of a batch. */
export type NewTransaction = Json<'/api/transactions', '$post'>

export type NewAccount = Json<'/api/accounts', '$post'>
export type NewCategory = Json<'/api/categories', '$post'>
export type NewRecurring = Json<'/api/recurring', '$post'>
export type NewBalanceCheck = Json<'/api/balance-checks', '$post'>
/** The fields of the profile that can be changed; PATCH takes the others only to refuse them. */
export type ProfileField = Exclude<keyof Json<'/api/me', '$patch'>, 'email' | 'password'>

/** Ids are strings in a URL, but may be given as numbers. */
type Given<Input> = Input extends { param: infer Param }
  ? Omit<Input, 'param'> & {
      param: { [Name in keyof Param]: Name extends 'id' ? Param[Name] | number : Param[Name] }
    }
  : Input

/** Texts by field; the key of a field inside a list is dotted, as in `transactions.0.amount`. */
export type FieldErrors = Record<string, string[]>

/** A row that a new transaction may be a duplicate of. */
export type Duplicate = {
  id: number
  description: string | null
  reference: string | null
  transaction_date: string
  amount: string
  reasons: string[]
}

/** A question about a file: send `field` with one of the values. `example` has rows as that value reads them. */
export type ImportQuestion = {
  field: string
  /** Why it is asked, such as `signs_unproved`. */
  code: string
  text: string
  /** Another question, with whose first option this one is asked. */
  depends_on: string | null
  options: {
    value: string
    label: string
    example: {
      row: number
      transaction_date: string
      type: 'income' | 'expense' | 'transfer'
      amount: string
      description: string | null
    }[]
  }[]
}

type Message = { message: string }

/** How a request can fail; `Row` is what a 412 shows. The OpenAPI document says which route can fail in which way. */
type Failures<Row> = Record<400 | 401 | 404 | 413 | 415 | 429 | 500 | 503, Message> & {
  403: Message & { requires_verified_email?: true; code?: 'insufficient_scope' }
  409: Message & { is_duplicate: true; duplicates: Duplicate[] }
  410: Message & { code: 'cursor_expired' }
  412: Message & { code: 'version_conflict'; current: Row }
  422: Message & {
    errors: FieldErrors
    questions?: ImportQuestion[]
    code?: 'reconciled'
    reconciled_through?: string
  }
}

type Failing<Input, Row> = {
  [Status in keyof Failures<Row>]: {
    input: Input
    output: Failures<Row>[Status]
    outputFormat: 'json'
    status: Status
  }
}[keyof Failures<Row>]

type HeadersOf<Input> = Input extends { header?: infer Headers } ? keyof NonNullable<Headers> : never

/** A read that can name the response that the client already has (`If-None-Match`). */
type Unchanged<Input> =
  'If-None-Match' extends HeadersOf<Input>
    ? { input: Input; output: null; outputFormat: 'body'; status: 304 }
    : never

/** The row of a path whose writes can name a version (`If-Match`). */
type RowOf<Methods> = Methods extends { $put: { input: infer Input; output: infer Row } }
  ? 'If-Match' extends HeadersOf<Input>
    ? Row
    : Account | Category | Transaction
  : Account | Category | Transaction

/** If a handler names no status, Hono responds with 200 but types it as any. */
type Success<Served, Input> = Served extends {
  output: infer Output
  outputFormat: infer Format
  status: infer Status
}
  ? {
      input: Input
      output: Output
      outputFormat: Format
      status: ContentfulStatusCode extends Status ? 200 : Status
    }
  : never

type Described = {
  [Path in keyof Served]: {
    [Method in keyof Served[Path]]: Served[Path][Method] extends { input: infer Input }
      ?
          | Success<Served[Path][Method], Given<Input>>
          | (Method extends '$get' ? Unchanged<Given<Input>> : never)
          | Failing<Given<Input>, RowOf<Served[Path]>>
      : never
  }
}

/** The whole API as Hono's `hc` expects it: bodies, queries, and responses by status. */
export type Api = Described extends infer S extends Schema ? Hono<BlankEnv, S, '/'> : never

/** The calls of all routes under /api. */
export type Routes = ReturnType<typeof hc<Api>>['api']

/** The response to registering and signing in. */
export type SignedIn = Served['/api/login']['$post']['output']
export type Credentials = Json<'/api/login', '$post'>
export type Registration = Json<'/api/register', '$post'>

/** The body of a route's successful response. */
type ResponseOf<Path extends keyof Served, Method extends keyof Served[Path]> = Served[Path][Method] extends {
  output: infer Output
}
  ? Output
  : never

/** Rows as the service shows them: amounts are texts (`"12.50"`), balances and totals numbers, times ISO 8601. */
export type User = ResponseOf<'/api/me', '$get'>
export type Session = ResponseOf<'/api/tokens', '$get'>[number]
export type NamedToken = ResponseOf<'/api/tokens', '$post'>
export type Account = ResponseOf<'/api/accounts/:id', '$get'>
export type Category = ResponseOf<'/api/categories/:id', '$get'>
/** As POST and PUT return it. */
export type Transaction = ResponseOf<'/api/transactions/:id', '$put'>
/** As GET returns it, alone and in lists: with its accounts and its category. */
export type TransactionWithRelations = ResponseOf<'/api/transactions/:id', '$get'>
export type TransactionPage = ResponseOf<'/api/transactions', '$get'>
export type Summary = ResponseOf<'/api/summary', '$get'>
export type MonthlyReport = ResponseOf<'/api/reports/monthly', '$get'>
/** A recurring transaction, its occurrences that are due and upcoming, and the balances of the days to come. */
export type Recurring = ResponseOf<'/api/recurring', '$get'>[number]
export type Upcoming = ResponseOf<'/api/recurring/upcoming', '$get'>
export type RecurringSuggestions = ResponseOf<'/api/recurring/suggestions', '$get'>
export type Forecast = ResponseOf<'/api/reports/forecast', '$get'>
export type BalanceCheck = ResponseOf<'/api/balance-checks', '$get'>[number]
export type ExplainedCheck = ResponseOf<'/api/balance-checks/:id', '$get'>
export type BalancesReport = ResponseOf<'/api/reports/balances', '$get'>
/** An accepted batch, and its outcome. */
export type AcceptedBatch = ResponseOf<'/api/transactions/sync', '$post'>
export type Batch = ResponseOf<'/api/transactions/sync/:id', '$get'>
/** The result of an import, and the import as it is shown afterwards. */
export type ImportResult = ResponseOf<'/api/import/store', '$post'>
/** The rows of a dry run as they would be stored. */
export type ImportPreview = ImportResult extends { import: { preview: infer Preview } }
  ? NonNullable<Preview>
  : never
export type Import = ResponseOf<'/api/imports/:id', '$get'>
/** Pairs of transactions that may be one event. */
export type MatchList = ResponseOf<'/api/matches', '$get'>
/** A page of the change feed; an upload of operations, and its response. */
export type Feed = ResponseOf<'/api/changes', '$get'>
/** The JSON of GET /api/export. */
export type Export = ResponseOf<'/api/export', '$get'>
export type Upload = Json<'/api/changes', '$post'>
export type UploadAnswer = ResponseOf<'/api/changes', '$post'>
