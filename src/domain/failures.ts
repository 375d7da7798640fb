import type { CalendarDate } from './dates.ts'
import type { Minor } from './money.ts'

/** Messages per field; keys are dotted paths such as `transactions.0.amount`. */
export type FieldErrors = Record<string, string[]>

/** A failure that is declared, and so may reach a client. Anything else that is thrown is a 500. */
export abstract class Failure extends Error {}

/** No valid bearer token (api.md §5.4). */
export class Unauthenticated extends Failure {
  constructor() {
    super('Unauthenticated.')
  }
}

/** The row named in the path is not there. */
export class NotFound extends Failure {
  constructor(noun: 'Account' | 'Category' | 'Transaction') {
    super(`${noun} not found.`)
  }
}

/** The row is there and is somebody else's, or the action is not allowed as things stand. */
export class Forbidden extends Failure {
  constructor(message = 'This action is unauthorized.') {
    super(message)
  }
}

/** The input breaks a rule (api.md §7, 422). */
export class Invalid extends Failure {
  readonly errors: FieldErrors
  constructor(errors: FieldErrors, message = 'The given data was invalid.') {
    super(message)
    this.errors = errors
  }
}

/** What is about to be created looks like something that is there already (api.md §7, 409). */
export class PotentialDuplicate extends Failure {
  readonly duplicates: readonly SimilarTransaction[]
  constructor(duplicates: readonly SimilarTransaction[]) {
    super('Potential duplicate detected.')
    this.duplicates = duplicates
  }
}

/** A row that the new one may repeat, with enough of it for a person to decide. */
export type SimilarTransaction = {
  id: number
  description: string | null
  reference: string | null
  transactionDate: CalendarDate
  amount: Minor
}

/** The database did not answer, or not in time: trying again later may help. */
export class DatabaseUnavailable extends Failure {
  constructor(options: ErrorOptions) {
    super('Service Unavailable', options)
  }
}
