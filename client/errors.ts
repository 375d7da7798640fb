import type { Account, Category, Duplicate, FieldErrors, ImportQuestion, Transaction } from './api.ts'

/** A response that is a failure: the service's own or, with a status such as 502, perhaps a proxy's. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  /** Of a 422; otherwise empty. */
  readonly errors: FieldErrors
  /** Of a 422 to an import: the questions about the file, each with its possible values. */
  readonly questions: ImportQuestion[]
  /** Of a 422 to a batch: the positions of the invalid items. */
  readonly invalidItems: number[]
  /** Quote it when reporting a problem. */
  readonly requestId: string | undefined
  /** Of a 429 or 503: when to try again. */
  readonly retryAfterSeconds: number | undefined
  /** Of a 409: the transaction looks like one of `duplicates`; `force: true` creates it anyway. */
  readonly isDuplicate: boolean
  readonly duplicates: Duplicate[]
  /** Of a 422: the last day of the reconciled period that the write would change. */
  readonly reconciledThrough: string | undefined
  /** Of a 412: the row as it is now; its version is not the one that `If-Match` named. */
  readonly current: Account | Category | Transaction | undefined
  /** Of a 403: the user has to verify their address first. */
  readonly requiresVerifiedEmail: boolean

  constructor(response: { status: number; headers: Headers }, body: unknown, now = Date.now()) {
    const fields = (body ?? {}) as Partial<FailureBody>
    super(fields.message ?? `The service responded with ${response.status}.`)
    this.status = response.status
    this.errors = fields.errors ?? {}
    this.questions = fields.questions ?? []
    this.invalidItems = fields.invalid_items ?? []
    this.requestId = response.headers.get('X-Request-Id') ?? undefined
    this.retryAfterSeconds = retryAfterSeconds(response.headers, now)
    this.isDuplicate = fields.is_duplicate ?? false
    this.duplicates = fields.duplicates ?? []
    this.reconciledThrough = fields.reconciled_through
    this.current = fields.current
    this.requiresVerifiedEmail = fields.requires_verified_email ?? false
  }
}

type FailureBody = {
  message: string
  errors: FieldErrors
  questions: ImportQuestion[]
  invalid_items: number[]
  is_duplicate: boolean
  duplicates: Duplicate[]
  reconciled_through: string
  current: Account | Category | Transaction
  requires_verified_email: boolean
}

/**
 * No response from the service, or an incomplete one, or one from a proxy: `cause` says why. Whether the request was
 * carried out is unknown.
 */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'

  constructor(cause: unknown) {
    super('The service could not be reached.', { cause })
  }
}

/** Throws ConnectionError unless the response is the service's. */
export function requireFromService(isFromService: boolean): void {
  if (!isFromService) throw new ConnectionError(notFromService)
}

export const notFromService = 'The response did not come from the service.'

const longestRetryAfterSeconds = 3_600

/**
 * `Retry-After` in seconds, at most an hour. A date counts from the response's own or, if that cannot be read, from `now`.
 * Undefined for anything but a number or a date (RFC 9110).
 */
export function retryAfterSeconds(headers: Headers, now: number): number | undefined {
  const value = headers.get('Retry-After')?.trim() ?? ''
  const date = httpDate(value)
  const seconds = /^\d+$/.test(value)
    ? Number(value)
    : date && Math.ceil((date - (httpDate(headers.get('Date')) ?? now)) / 1000)
  return seconds === undefined ? undefined : Math.min(Math.max(0, seconds), longestRetryAfterSeconds)
}

/** Parses the three forms of a date in HTTP, the last of which names no time zone. `Date.parse` alone takes `1.5` too. */
function httpDate(value: string | null): number | undefined {
  const isDate = /^[A-Z][a-z]+,? [\w -]+ \d\d:\d\d:\d\d (GMT|\d{4})$/.test(value ?? '')
  const milliseconds = isDate ? Date.parse(`${value?.replace(' GMT', '')} GMT`) : Number.NaN
  return Number.isNaN(milliseconds) ? undefined : milliseconds
}

/** Parses JSON. Undefined for anything else, such as an empty text or a proxy's error page. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
