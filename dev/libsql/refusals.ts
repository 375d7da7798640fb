import { StatementError } from './errors.ts'
import { isWord, type Token } from './sql-text.ts'

/** What a statement does to its connection, as far as locking and reporting need to know. */
export interface Role {
  readonly kind: 'control' | 'read' | 'write'
  /** Takes the write lock when it starts: a write, or BEGIN IMMEDIATE. */
  readonly locks: boolean
  /** INSERT, UPDATE or DELETE: the only ones whose count of changed rows is reported. */
  readonly changesRows: boolean
  readonly inserts: boolean
  readonly explains: boolean
  /** A pragma that leaves the connection other than it was, so that it must not serve another stream. */
  readonly altersConnection: boolean
}

const READ: Role = {
  kind: 'read',
  locks: false,
  changesRows: false,
  inserts: false,
  explains: false,
  altersConnection: false,
}
const CONTROL: Role = { ...READ, kind: 'control' }
const BEGIN_LOCKED: Role = { ...CONTROL, locks: true }
const SCHEMA_CHANGE: Role = { ...READ, kind: 'write', locks: true }
const CHANGE: Role = { ...SCHEMA_CHANGE, changesRows: true }
const INSERT: Role = { ...CHANGE, inserts: true }

const RESERVED_TABLES = ['_litestream_seq', '_litestream_lock', 'libsql_wasm_func_table']

const PRAGMAS = new Set(
  `table_list index_list table_info table_xinfo index_info index_xinfo pragma_list compile_options
   database_list function_list module_list encoding defer_foreign_keys foreign_keys foreign_key_list
   foreign_key_check collation_list data_version freelist_count integrity_check legacy_file_format
   page_count quick_check stats user_version`.split(/\s+/),
)
const PRAGMAS_WITHOUT_VALUE = new Set(
  `schema_version analysis_limit application_id auto_vacuum automatic_index busy_timeout cache_size
   cache_spill cell_size_check checkpoint_fullfsync fullfsync hard_heap_limit journal_mode
   journal_size_limit legacy_alter_table locking_mode max_page_count mmap_size page_size query_only
   read_uncommitted recursive_triggers reverse_unordered_selects secure_delete soft_heap_limit
   synchronous temp_store threads trusted_schema wal_autocheckpoint`.split(/\s+/),
)

/**
 * The role of a statement. Throws for those a Turso server does not accept although SQLite would:
 * anything temporary, ATTACH, DETACH, ANALYZE, VACUUM, and pragmas that would change the server's set-up.
 */
export function roleOf(tokens: readonly Token[], sql: string): Role {
  const role = isWord(tokens[0], 'EXPLAIN') ? explainRole(tokens) : commandRole(tokens)
  if (role) return role
  throw new StatementError('SQL_PARSE_ERROR', `SQL string could not be parsed: unsupported statement: ${sql}`)
}

function explainRole(tokens: readonly Token[]): Role | undefined {
  const isPlan = isWord(tokens[1], 'QUERY')
  const explained = tokens.slice(isPlan ? 3 : 1)
  if (isPlan || !isWord(explained[0], 'PRAGMA')) return { ...READ, explains: true }
  // Some pragmas act when they are prepared, so even explaining one is subject to the same rules.
  const role = pragmaRole(explained)
  return role && { ...READ, explains: true, altersConnection: role.altersConnection }
}

function commandRole(tokens: readonly Token[]): Role | undefined {
  const [first, second, third] = tokens
  switch (first?.kind === 'word' ? first.text.toUpperCase() : '') {
    case 'SELECT':
    case 'VALUES':
      return READ
    case 'WITH':
      return withRole(tokens)
    case 'INSERT':
    case 'REPLACE':
      return unlessReserved(tableAfter(tokens, 'INTO'), INSERT)
    case 'UPDATE':
      return unlessReserved(isWord(second, 'OR') ? tokens[3] : second, CHANGE)
    case 'DELETE':
      return unlessReserved(tableAfter(tokens, 'FROM'), CHANGE)
    case 'BEGIN':
      return isWord(second, 'IMMEDIATE', 'EXCLUSIVE') ? BEGIN_LOCKED : CONTROL
    case 'COMMIT':
    case 'END':
    case 'ROLLBACK':
    case 'SAVEPOINT':
    case 'RELEASE':
      return CONTROL
    case 'CREATE':
      return createRole(tokens)
    case 'DROP':
    case 'ALTER':
      return unlessReserved(isWord(third, 'IF') ? tokens[4] : third, SCHEMA_CHANGE)
    case 'REINDEX':
      return SCHEMA_CHANGE
    case 'PRAGMA':
      return pragmaRole(tokens)
    case 'ATTACH':
    case 'DETACH':
    case 'ANALYZE':
    case 'VACUUM':
      return undefined
    default:
      // Not SQL at all: SQLite will say what is wrong with it.
      return READ
  }
}

function withRole(tokens: readonly Token[]): Role | undefined {
  let depth = 0
  for (const [index, token] of tokens.entries()) {
    if (token.text === '(') depth++
    if (token.text === ')') depth--
    if (index === 0 || depth > 0) continue
    if (isWord(token, 'SELECT', 'VALUES')) return READ
    if (isWord(token, 'INSERT', 'UPDATE', 'DELETE')) return commandRole(tokens.slice(index))
    if (isWord(token, 'REPLACE') && isWord(tokens[index + 1], 'INTO')) return commandRole(tokens.slice(index))
  }
  return READ
}

function createRole(tokens: readonly Token[]): Role | undefined {
  if (isWord(tokens[1], 'TEMP', 'TEMPORARY', 'FUNCTION')) return undefined
  const named = tokens.find(
    (token, index) => index > 1 && !isWord(token, 'IF', 'NOT', 'EXISTS', 'INDEX', 'TABLE'),
  )
  if (named && nameOf(named) === 'temp' && tokens[tokens.indexOf(named) + 1]?.text === '.') return undefined
  return unlessReserved(named, SCHEMA_CHANGE)
}

function tableAfter(tokens: readonly Token[], keyword: string): Token | undefined {
  const at = tokens.findIndex((token) => isWord(token, keyword))
  return tokens[at + 2]?.text === '.' ? tokens[at + 3] : tokens[at + 1]
}

function unlessReserved(table: Token | undefined, role: Role): Role | undefined {
  return table && RESERVED_TABLES.includes(nameOf(table)) ? undefined : role
}

function nameOf(token: Token): string {
  const bare = token.kind === 'quoted' || token.kind === 'string' ? token.text.slice(1, -1) : token.text
  return bare.toLowerCase()
}

function pragmaRole(tokens: readonly Token[]): Role | undefined {
  const rest = tokens[2]?.text === '.' ? tokens.slice(3) : tokens.slice(1)
  const name = rest[0] ? nameOf(rest[0]) : ''
  const hasValue = rest.length > 1
  if (PRAGMAS.has(name)) {
    if (name === 'user_version' && hasValue) return SCHEMA_CHANGE
    return name.endsWith('foreign_keys') && hasValue ? { ...READ, altersConnection: true } : READ
  }
  return PRAGMAS_WITHOUT_VALUE.has(name) && !hasValue ? READ : undefined
}
