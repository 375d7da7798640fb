import { StatementError } from './errors.ts'

export interface Token {
  readonly kind: 'word' | 'quoted' | 'string' | 'blob' | 'number' | 'parameter' | 'symbol'
  readonly text: string
  readonly start: number
  readonly end: number
}

// Of one statement. Its tokens take many times the memory of its text.
const LENGTH_LIMIT = 4_000_000

const SPACE = /[ \t\n\f\r\ufeff]+/y
const WORD = /[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/y
const NUMBER = /(?:0[xX][0-9a-fA-F]+|(?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:[eE][+-]?\d+)?)/y
const PARAMETER = /\?\d*|[:@#$](?:[\w$\u0080-\uffff]|::)+/y
const SYMBOL = /\|\||->>?|<<|>>|<=|>=|<>|==|!=|[\s\S]/y

/** Splits SQL into the statements it holds, each as its tokens (comments and semicolons left out). */
export function* splitStatements(sql: string): Generator<Token[]> {
  let current: Token[] = []
  for (const token of tokens(sql)) {
    if (token.text === ';' && !insideTriggerBody(current)) {
      if (current.length > 0) yield current
      current = []
    } else {
      current.push(token)
      if (token.end - (current[0] ?? token).start > LENGTH_LIMIT) throw tooLong()
    }
  }
  if (current.length > 0) yield current
}

/** The text of a statement from its first to its last token. */
export function textOf(sql: string, statement: readonly Token[]): string {
  return sql.slice(statement[0]?.start ?? 0, statement.at(-1)?.end ?? 0)
}

function tooLong(): StatementError {
  return new StatementError(
    'SQLITE_TOOBIG',
    `SQLite error: a statement of more than ${LENGTH_LIMIT} characters`,
  )
}

// A trigger's body holds semicolons of its own; SQLite's rule is that it ends with "; END".
function insideTriggerBody(statement: readonly Token[]): boolean {
  if (!isCreateTrigger(statement)) return false
  const ended = isWord(statement.at(-1), 'END') && statement.at(-2)?.text === ';'
  return !ended && statement.some((token) => isWord(token, 'BEGIN'))
}

function isCreateTrigger(statement: readonly Token[]): boolean {
  let words = statement.slice(0, 6)
  if (isWord(words[0], 'EXPLAIN')) words = words.slice(isWord(words[1], 'QUERY') ? 3 : 1)
  if (!isWord(words[0], 'CREATE')) return false
  return isWord(words[1], 'TRIGGER') || (isWord(words[1], 'TEMP', 'TEMPORARY') && isWord(words[2], 'TRIGGER'))
}

/** True when the token is one of these keywords, whatever its case. */
export function isWord(token: Token | undefined, ...keywords: string[]): boolean {
  return token?.kind === 'word' && keywords.includes(token.text.toUpperCase())
}

function* tokens(sql: string): Generator<Token> {
  let at = 0
  while (at < sql.length) {
    const skipped = endOfGap(sql, at)
    if (skipped > at) {
      at = skipped
      continue
    }
    const [kind, end] = tokenAt(sql, at)
    yield { kind, text: sql.slice(at, end), start: at, end }
    at = end
  }
}

function endOfGap(sql: string, at: number): number {
  if (sql.startsWith('--', at)) return orEnd(sql, sql.indexOf('\n', at), 1)
  if (sql.startsWith('/*', at)) return orEnd(sql, sql.indexOf('*/', at + 2), 2)
  return match(SPACE, sql, at) ?? at
}

function tokenAt(sql: string, at: number): [Token['kind'], number] {
  const first = sql[at]
  if (first === "'") return ['string', endOfQuote(sql, at, "'")]
  if (first === '"' || first === '`') return ['quoted', endOfQuote(sql, at, first)]
  if (first === '[') return ['quoted', orEnd(sql, sql.indexOf(']', at), 1)]
  if ((first === 'x' || first === 'X') && sql[at + 1] === "'") return ['blob', endOfQuote(sql, at + 1, "'")]
  const word = match(WORD, sql, at)
  if (word !== undefined) return ['word', word]
  const number = match(NUMBER, sql, at)
  if (number !== undefined) return ['number', number]
  const parameter = match(PARAMETER, sql, at)
  if (parameter !== undefined) return ['parameter', parameter]
  return ['symbol', match(SYMBOL, sql, at) ?? at + 1]
}

function endOfQuote(sql: string, at: number, quote: string): number {
  let end = sql.indexOf(quote, at + 1)
  while (end !== -1 && sql[end + 1] === quote) end = sql.indexOf(quote, end + 2)
  return orEnd(sql, end, 1)
}

function orEnd(sql: string, found: number, length: number): number {
  return found === -1 ? sql.length : found + length
}

function match(pattern: RegExp, sql: string, at: number): number | undefined {
  pattern.lastIndex = at
  return pattern.test(sql) ? pattern.lastIndex : undefined
}
