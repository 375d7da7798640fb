/** A failure whose message is the one line the developer needs; anything else is shown with its stack. */
export class DevError extends Error {
  override name = 'DevError'
}

/** Prints the one line of a DevError; for anything else, what failed and the stack. */
export function printError(error: unknown, whatFailed: string): void {
  if (error instanceof DevError) console.error(`error: ${error.message}`)
  else console.error(`error: ${whatFailed}:`, error)
}

/** The innermost cause's message on one line: the outer ones of a database error repeat whole statements. */
export function reasonOf(error: unknown): string {
  let inner = error
  while (inner instanceof Error && inner.cause instanceof Error) inner = inner.cause
  const message = inner instanceof Error ? inner.message : String(inner)
  return message.replace(/\s+/g, ' ').trim()
}
