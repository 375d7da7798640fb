import { ApiError, ConnectionError, LedgerError } from 'purse-client'

/** What went wrong, for people: in general, and by field. */
export type Failure = { message: string; errors: Record<string, string[]> }
export const none: Failure = { message: '', errors: {} }

export function failureOf(error: unknown): Failure {
  if (error instanceof LedgerError) return error
  if (error instanceof ConnectionError) return { ...none, message: 'This needs a network connection.' }
  if (!(error instanceof ApiError))
    return { ...none, message: `That did not work: ${error instanceof Error ? error.message : error}` }
  const wait = error.retryAfterSeconds ? ` Try again in ${error.retryAfterSeconds} seconds.` : ''
  return { message: `${error.message}${wait}`, errors: error.errors }
}

/** Errors that belong to no field of the form, such as those in the rows of a file. */
export function besides({ message, errors }: Failure, form: HTMLFormElement | null): string[] {
  const texts = Object.entries(errors).flatMap(([name, texts]) => {
    const [, row] = /^rows\.(\d+)/.exec(name) ?? []
    return form?.elements.namedItem(name) ? [] : (row ? `Row ${row}: ` : '') + texts.join(' ')
  })
  return Object.keys(errors).length > 0 ? texts : [message]
}
