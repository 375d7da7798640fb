import { Column, getTableName, is, Placeholder, type Query, SQL, sql } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'

export type Statement = BatchItem<'sqlite'>

/** A statement with its arguments, and how to read the database's answer. */
export type Bound<Result = unknown> = {
  sql: string
  args: Argument[]
  /**
   * True for a `select`, which needs no write lock. One that Drizzle begins with `with` is not recognised: it counts as a
   * write.
   */
  isRead: boolean
  decode: (answer: Answer) => Result
}

/** The database's answer to one statement. */
export type Answer = { columns: string[]; rows: (string | number | null)[][]; result: unknown }

type Value = string | number | Date | null
type Argument = Value | boolean

/**
 * An input as a prepared statement sees it: an SQL expression for each value. Booleans and undefined values stay as
 * they are, since the text of the statement may depend on them.
 */
export type Slots<Input> = SlotsOf<Input> & { readonly [inputType]?: Input }
/** Exists only in types: from it, `prepare` infers the input of the function that it returns. */
declare const inputType: unique symbol
type SlotsOf<T> = T extends Value
  ? SQL<T>
  : T extends boolean | undefined
    ? T
    : { [Key in keyof T]: SlotsOf<T[Key]> }

export type InputOf<S> = S extends { readonly [inputType]?: infer Input } ? NonNullable<Input> : never

/** A prepared statement with its arguments, or a list or an object of such statements. */
export type BoundOf<T> = T extends Statement ? Bound<T['_']['result']> : { [Key in keyof T]: BoundOf<T[Key]> }

/** Statements by name. A name may hold a list of any length. */
export type NamedStatements = Record<string, Statement | Statement[]>

/** The most shapes of input that a prepared function remembers: clients choose which fields they send. */
const mostShapes = 200

/**
 * Prepares statements: their text is built once in each isolate for each shape of input, since building it for every
 * request took a third of the request's CPU time. `build` cannot look at values: it gets a slot for each.
 */
export function prepare<S extends object, T extends NamedStatements>(
  build: (slots: S) => T,
): (input: InputOf<S>) => BoundOf<T> {
  const shapes = new Map<string, [name: string, compiled: Compiled | Compiled[]][]>()
  return (input) => {
    const values: Value[] = []
    const shape = shapeOf(input, values)
    let compiled = shapes.get(shape)
    if (!compiled) {
      const [oldest] = shapes.keys()
      if (shapes.size >= mostShapes && oldest !== undefined) shapes.delete(oldest)
      const statements = build(slotsOf(input, { count: 0 }) as S)
      compiled = Object.entries(statements).map(([name, one]) => [
        name,
        Array.isArray(one) ? one.map(compile) : compile(one),
      ])
      shapes.set(shape, compiled)
    }
    const bound: Record<string, Bound | Bound[]> = {}
    for (const [name, one] of compiled)
      bound[name] = Array.isArray(one) ? one.map((each) => fill(each, values)) : fill(one, values)
    return bound as BoundOf<T>
  }
}

/** Describes an input's fields and its booleans, and collects its other values in the order of their slots. */
function shapeOf(input: unknown, values: Value[]): string {
  if (input === undefined || typeof input === 'boolean') return `${input}`
  if (isValue(input)) {
    values.push(input)
    return ''
  }
  let shape = '{'
  for (const [name, part] of Object.entries(input as object))
    if (part !== undefined) shape += `${name}:${shapeOf(part, values)},`
  return `${shape}}`
}

/** The same input with a numbered slot for each value. Values are visited in the same order as in `shapeOf`. */
function slotsOf(input: unknown, next: { count: number }): unknown {
  if (input === undefined || typeof input === 'boolean') return input
  if (isValue(input)) return sql`${sql.placeholder(String(next.count++))}`
  if (Array.isArray(input)) return input.map((part) => slotsOf(part, next))
  return Object.fromEntries(
    Object.entries(input as object)
      .filter(([, part]) => part !== undefined)
      .map(([name, part]) => [name, slotsOf(part, next)]),
  )
}

function isValue(input: unknown): input is Value {
  return typeof input !== 'object' || input === null || input instanceof Date
}

type Compiled = Omit<Bound, 'args'> & { params: (Slot | Argument)[] }
type Slot = { slot: number }

function compile(statement: Statement): Compiled {
  const { prepared, args, ...built } = describe(statement)
  const compiled = { ...built, ...numbered(built.sql, args) }
  const { fields, joinsNotNullableMap } = prepared
  if (!fields || !compiled.isRead) return compiled
  // Rows in one JSON text take a quarter of the bytes of typed cells, and a quarter of the time to read.
  const names = namesOf(fields)
  const values = fields.map(({ field }, place) => {
    return valueDecoder(field) instanceof NestedJson ? `json(${names[place]})` : names[place]
  })
  const read = rowReader(fields, joinsNotNullableMap)
  return {
    ...compiled,
    sql: `with r(${names}) as (${compiled.sql}) select json_group_array(json_array(${values})) from r`,
    decode: ({ rows }) => read(JSON.parse(rows[0]?.[0] as string)),
  }
}

/** Names for columns, since some have none. */
function namesOf(fields: Field[]): string[] {
  return fields.map((_, place) => `c${place}`)
}

/** Reads a column that holds JSON, which may have been parsed already as part of a larger text. */
class NestedJson {
  readonly #read: (value: never) => unknown
  constructor(read: (value: never) => unknown) {
    this.#read = read
  }
  mapFromDriverValue(value: unknown): unknown {
    return this.#read((typeof value === 'string' ? JSON.parse(value) : value) as never)
  }
}

/**
 * A column that holds all rows of a query, so that one statement can read rows of several kinds. The query may refer to
 * the tables of the statement around it, and runs only if the condition holds.
 */
export function rowsOf<T extends Statement>(query: T, condition?: SQL): SQL<T['_']['result']> {
  const { fields = [], joinsNotNullableMap } = describe(query).prepared
  const names = sql.raw(namesOf(fields).join())
  // If `r` were materialized, each row would be read twice.
  const rows = sql`(with r(${names}) as not materialized ${query} select json_group_array(json_array(${names})) from r)`
  const read = rowReader(fields, joinsNotNullableMap)
  return (condition ? sql`iif(${condition}, ${rows}, '[]')` : rows).mapWith(new NestedJson(read)) as SQL
}

/** Numbers the parameters, so that a slot used several times is sent once, and drops needless whitespace. */
function numbered(text: string, args: unknown[]): Pick<Compiled, 'sql' | 'params'> {
  const params: Compiled['params'] = []
  const add = (param: Slot | Argument) => {
    params.push(param)
    return params.length
  }
  const numbers = new Map<string, number>()
  let next = 0
  const replaced = text.replace(/'(?:[^']|'')*'|"[^"]*"|\s+|\?/g, (token) => {
    if (token !== '?') return token.trim() === '' ? ' ' : token
    const arg = args[next++]
    if (!is(arg, Placeholder)) return `?${add(arg as Argument)}`
    const number = numbers.get(arg.name) ?? add({ slot: Number(arg.name) })
    numbers.set(arg.name, number)
    return `?${number}`
  })
  return { sql: replaced.trim(), params }
}

function fill(compiled: Compiled, values: Value[]): Bound {
  const { isRead, decode, params } = compiled
  const args = params.map((param) => (isSlot(param) ? (values[param.slot] as Argument) : param))
  return { sql: compiled.sql, isRead, decode, args }
}

function isSlot(param: Slot | Argument): param is Slot {
  return typeof param === 'object' && param !== null && 'slot' in param
}

/** What Drizzle makes of a statement. Drizzle's own reader of rows takes several times as long as `rowReader`. */
export type DrizzleQuery = {
  getQuery(): Query & { method?: 'all' | 'run' }
  fields: Field[] | undefined
  joinsNotNullableMap?: Record<string, boolean>
}
export type Field = { path: string[]; field: Column | SQL | SQL.Aliased }

/** Builds the text of a statement that is not prepared. */
export function bind<T extends Statement>(statement: T): Bound<T['_']['result']> {
  const { prepared, ...bound } = describe(statement)
  return bound
}

function describe(statement: Statement) {
  const prepared = (statement as unknown as { _prepare(): DrizzleQuery })._prepare()
  const query = prepared.getQuery()
  return {
    prepared,
    sql: query.sql,
    args: query.params as Argument[],
    isRead: /^\s*select\b/i.test(query.sql),
    decode: decoderOf(prepared, query.method),
  }
}

function decoderOf({ fields, joinsNotNullableMap }: DrizzleQuery, method?: 'all' | 'run'): Bound['decode'] {
  if (fields) {
    const read = rowReader(fields, joinsNotNullableMap)
    return ({ rows }) => read(rows)
  }
  if (method !== 'all') return ({ result }) => result
  return ({ columns, rows }) =>
    rows.map((row) => Object.fromEntries(columns.map((name, place) => [name, row[place]])))
}

/**
 * Turns rows into objects, as Drizzle would: nested by path, and null for the missing side of a join. `isInEveryRow`
 * is false for a table on the optional side of a join.
 */
function rowReader(fields: Field[], isInEveryRow: Record<string, boolean> = {}) {
  const readers = fields.map(({ path, field }) => {
    const [group, name] = path.length > 1 ? path : [undefined, path[0]]
    return { group, name: name as string, decoder: valueDecoder(field) }
  })
  const groups = new Set(readers.map(({ group }) => group).filter((group) => group !== undefined))
  const mayBeMissing = ({ field }: Field) => is(field, Column) && isInEveryRow[tableOf(field)] === false
  const optionalGroups = [...groups].filter((group) =>
    fields.every((one) => one.path[0] !== group || mayBeMissing(one)),
  )
  return (rows: Answer['rows']) =>
    rows.map((row) => {
      const found: Record<string, unknown> = {}
      for (const group of groups) found[group] = {}
      for (let place = 0; place < readers.length; place++) {
        const { group, name, decoder } = readers[place] as (typeof readers)[number]
        const value = row[place] ?? null
        const target = group === undefined ? found : (found[group] as Record<string, unknown>)
        target[name] = value === null ? null : decoder.mapFromDriverValue(value)
      }
      for (const group of optionalGroups)
        if (Object.values(found[group] as object).every((value) => value === null)) found[group] = null
      return found
    })
}

function valueDecoder(field: Field['field']) {
  if (is(field, Column)) return field
  const { decoder } = (is(field, SQL) ? field : field.sql) as unknown as {
    decoder: Pick<Column, 'mapFromDriverValue'>
  }
  return decoder
}

function tableOf(column: Column): string {
  return getTableName(column.table)
}
