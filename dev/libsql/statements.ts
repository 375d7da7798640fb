import Database from 'libsql'
import { mentionsBytes } from './byte-text.ts'
import { StatementError, statementErrorFrom } from './errors.ts'
import { type Role, roleOf } from './refusals.ts'
import { isWord, splitStatements, type Token, textOf } from './sql-text.ts'

/** One SQL statement, understood as far as the server must: what it does and what it wants bound. */
export interface Statement {
  readonly sql: string
  readonly role: Role
  /** By parameter index minus one: the parameter's name with its sigil, or undefined for a plain `?`. */
  readonly parameters: readonly (string | undefined)[]
  /** Its own text may make text of arbitrary bytes. */
  readonly mentionsBytes: boolean
  /** It asks what its connection did before, so that a connection somebody else has used would not do. */
  readonly asksConnection: boolean
}

const CONNECTION_FUNCTION = /^(?:changes|total_changes|last_insert_rowid)$/i

const CACHED_TEXTS = 500
const CACHED_LENGTH = 20_000
const cache = new Map<string, Statement>()

/** Reads a text that must hold exactly one statement, and refuses what a Turso server refuses. */
export function parseStatement(sql: string): Statement {
  const known = cache.get(sql)
  if (known) return known
  const texts = splitStatements(sql)
  const first = texts.next()
  if (first.done) throw new StatementError('SQL_NO_STATEMENT', 'SQL string does not contain any statement')
  const statement = toStatement(sql, first.value)
  if (!texts.next().done) {
    throw new StatementError('SQL_MANY_STATEMENTS', 'SQL string contains more than one statement')
  }
  if (sql.length <= CACHED_LENGTH) remember(sql, statement)
  return statement
}

/** Reads a text of any number of statements; a refused one refuses them all before any runs. */
export function parseSequence(sql: string): Statement[] {
  return Array.from(splitStatements(sql), (tokens) => toStatement(sql, tokens))
}

function toStatement(whole: string, tokens: readonly Token[]): Statement {
  const sql = textOf(whole, tokens)
  // The binding would hand SQLite a text that ends here, so the rest would silently be ignored.
  if (sql.includes('\0')) {
    throw new StatementError('SQL_PARSE_ERROR', 'SQL string could not be parsed: unrecognized token: "\\0"')
  }
  const role = roleOf(tokens, sql)
  checkSyntax(sql, tokens)
  return {
    sql,
    role,
    parameters: parametersOf(tokens),
    mentionsBytes: mentionsBytes(tokens),
    asksConnection: tokens.some(
      ({ text }, at) => CONNECTION_FUNCTION.test(text) && tokens[at + 1]?.text === '(',
    ),
  }
}

// A Turso server parses before it runs anything. Here an empty database is asked: a text that it cannot
// parse is refused, while a missing table or column says nothing. Pragmas act when they are prepared.
function checkSyntax(sql: string, tokens: readonly Token[]): void {
  if (isWord(tokens[0], 'PRAGMA')) return
  try {
    emptyDatabase.prepare(sql)
  } catch (error) {
    const refused = statementErrorFrom(error, sql)
    if (refused.code === 'SQL_PARSE_ERROR') throw refused
  }
}

const emptyDatabase = new Database(':memory:')

function remember(sql: string, statement: Statement): void {
  if (cache.size >= CACHED_TEXTS) cache.delete(cache.keys().next().value ?? '')
  cache.set(sql, statement)
}

// SQLite numbers parameters so: `?` takes the next free number, `?7` is 7, a name keeps its first number.
function parametersOf(tokens: readonly Token[]): (string | undefined)[] {
  const names: (string | undefined)[] = []
  const seen = new Set<string>()
  for (const { kind, text } of tokens) {
    if (kind !== 'parameter') continue
    if (text === '?') names.push(undefined)
    else if (text.startsWith('?')) setNumbered(names, text)
    else if (!seen.has(text)) names.push(text)
    seen.add(text)
  }
  return names
}

function setNumbered(names: (string | undefined)[], text: string): void {
  const number = Number(text.slice(1))
  if (number < 1 || number > 32_766) {
    throw new StatementError('SQL_PARSE_ERROR', 'variable number must be between ?1 and ?32766')
  }
  while (names.length < number) names.push(undefined)
  names[number - 1] ??= text
}
