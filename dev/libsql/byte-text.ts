import { closeSync, openSync } from 'node:fs'
import { ProtocolError } from './errors.ts'
import { isWord, splitStatements, type Token, textOf } from './sql-text.ts'
import type { Statement } from './statements.ts'
import type { SqlValue } from './values.ts'

/*
 * SQLite's text may hold any bytes. The binding cuts a text off at its first NUL, and a text that is not
 * UTF-8 ends the whole process: `{"payee": "\ud800"}` read by json_each is enough. Both are rare, so they
 * are only watched for: once a database has met anything such a text can come from, its results are read
 * by queries that hand over every text as a blob, at the cost of a few more steps a value.
 */

const BYTE_FUNCTION = /^(?:char|randomblob|zeroblob|unhex|jsonb\w*|vector\w*|matchinfo|geopoly_\w+)$/i
const BYTE_TABLE = /^(?:sqlite_dbpage|sqlite_dbdata)$/i
const JSON_ESCAPE = /\\[ux0]/

/** True if the statement's own text may make text of arbitrary bytes. */
export function mentionsBytes(tokens: readonly Token[]): boolean {
  return tokens.some(({ kind, text }, index) => {
    if (kind === 'blob') return true
    if (kind === 'string') return JSON_ESCAPE.test(text)
    if (kind !== 'word') return false
    return BYTE_TABLE.test(text) || (tokens[index + 1]?.text === '(' && BYTE_FUNCTION.test(text))
  })
}

/** True if one of the values may become text of arbitrary bytes. */
export function carriesBytes(values: readonly SqlValue[]): boolean {
  return values.some((value) => {
    if (typeof value === 'string') return value.includes('\0') || JSON_ESCAPE.test(value)
    return value instanceof Uint8Array
  })
}

/** The file that says, next to a database and copied with it, that it may hold such text. */
export function markerOf(path: string): string {
  return `${path}-bytes`
}

export function writeMarker(path: string): void {
  closeSync(openSync(markerOf(path), 'w'))
}

/**
 * The same statement, but every text or blob among its results comes as a blob whose first byte says which
 * it was. Undefined for those that return none of the stored values: pragmas and EXPLAIN.
 */
export function taggedQuery(statement: Statement, columns: readonly string[]): string | undefined {
  const { sql, role } = statement
  const tokens = splitStatements(sql).next().value ?? []
  if (role.changesRows) return taggedReturning(sql, tokens, columns)
  if (!isWord(tokens[0], 'SELECT', 'VALUES', 'WITH')) return undefined
  const names = columns.map((_, index) => `c${index}`)
  return `WITH "~"(${names}) AS MATERIALIZED (${sql}) SELECT ${names.map(tagged)} FROM "~"`
}

/** A value as it was before a tagged query: throws for text that has no form in JSON. */
export function untag(value: SqlValue): SqlValue {
  if (!(value instanceof Uint8Array)) return value
  const bytes = value.subarray(1)
  if (value[0] !== TEXT_TAG) return bytes
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new ProtocolError('A text in the result is not valid UTF-8', 500)
  }
}

const TEXT_TAG = 't'.charCodeAt(0)

function tagged(value: string): string {
  return `CASE typeof(${value}) WHEN 'text' THEN CAST('t' || ${value} AS BLOB)
    WHEN 'blob' THEN CAST('b' || ${value} AS BLOB) ELSE ${value} END`
}

// RETURNING takes no subquery around it, so each of its expressions goes into one of its own.
function taggedReturning(sql: string, tokens: readonly Token[], columns: readonly string[]): string {
  const start = tokens.findLastIndex((token) => isWord(token, 'RETURNING'))
  const items = splitAtCommas(tokens.slice(start + 1))
  const starColumns = columns.length - items.filter((item) => !isStar(item)).length
  let column = 0
  const expressions = items.flatMap((item) => {
    const taken = isStar(item) ? starColumns : 1
    const names = columns.slice(column, column + taken)
    column += taken
    return isStar(item) ? names.map((name) => `"${name.replaceAll('"', '""')}"`) : [textOf(sql, item)]
  })
  const tags = expressions.map((text) => `(WITH "~"(v) AS (SELECT ${text}) SELECT ${tagged('v')} FROM "~")`)
  return `${sql.slice(0, tokens[start]?.start)} RETURNING ${tags}`
}

function isStar(item: readonly Token[]): boolean {
  return item.length === 1 && item[0]?.text === '*'
}

function splitAtCommas(tokens: readonly Token[]): Token[][] {
  const items: Token[][] = [[]]
  let depth = 0
  for (const token of tokens) {
    if (token.text === '(') depth++
    if (token.text === ')') depth--
    if (token.text === ',' && depth === 0) items.push([])
    else items.at(-1)?.push(token)
  }
  return items
}
