import { ConfigurationError, Failure } from './failures.ts'

/** The parts of an error that may be logged. */
export type ErrorReport = {
  error: string
  /** Outermost first: the name, and the code or HTTP status if there is one. */
  causes?: string[]
  problem?: string
  at?: string[]
}

const framesLogged = 8
const causesLogged = 4

/** Reports the name, causes and stack of an error. Messages may contain data, except that of a ConfigurationError. */
export function reportOf(error: unknown): ErrorReport {
  if (!(error instanceof Error)) return { error: typeof error }
  const causes = causesOf(error).map(nameOf)
  // The stack begins with the message, which could look like a frame.
  const frames = error.stack
    ?.replace(error.message, '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
  return {
    error: error.name,
    ...(causes.length > 0 && { causes }),
    ...(error instanceof ConfigurationError && { problem: error.message }),
    ...(frames && { at: frames.slice(0, framesLogged).map((line) => line.trim()) }),
  }
}

function causesOf(error: Error): Error[] {
  const causes: Error[] = []
  let { cause } = error
  while (cause instanceof Error && causes.length < causesLogged) {
    causes.push(cause)
    cause = cause.cause
  }
  return causes
}

function nameOf(error: Error): string {
  // The name of a declared failure says it all.
  const details = error instanceof Failure ? [] : [codeOf(error, 'code'), codeOf(error, 'status')]
  return [error.name, ...details.filter(Boolean)].join(' ')
}

/** Only numbers and words such as SQLITE_BUSY. */
function codeOf(error: Error, name: 'code' | 'status'): string | undefined {
  const value = (error as Partial<Record<typeof name, unknown>>)[name]
  return /^\w+$/.test(String(value ?? '')) ? String(value) : undefined
}
