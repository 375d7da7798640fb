import { ApiError, ConnectionError, LedgerError } from 'purse-client'

/** What went wrong, for people: all in all, and by the names of fields. */
export type Failure = { message: string; errors: Record<string, string[]> }
export const none: Failure = { message: '', errors: {} }

export function failureOf(error: unknown): Failure {
  if (error instanceof LedgerError) return error
  if (error instanceof ConnectionError)
    return { ...none, message: 'This needs a network, and there is none.' }
  if (!(error instanceof ApiError)) return { ...none, message: `That did not work: ${error}` }
  const wait = error.retryAfterSeconds ? ` Try again in ${error.retryAfterSeconds} seconds.` : ''
  return { message: `${error.message}${wait}`, errors: error.errors }
}

/** What is to be said of fields that a form does not have, such as those of a file's rows. */
export function elsewhere({ errors }: Failure, form: HTMLFormElement | null): string[] {
  const others = Object.entries(errors).filter(([name]) => !form?.elements.namedItem(name))
  return others.map(([name, texts]) => {
    const [, row] = /^rows\.(\d+)/.exec(name) ?? []
    return (row ? `Row ${row}: ` : '') + texts.join(' ')
  })
}
