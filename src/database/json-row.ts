import { Column, is, type SQL, sql } from 'drizzle-orm'

type Fields = Record<string, Column | SQL>
type ValueOf<F> =
  F extends SQL<infer Value>
    ? Value
    : F extends Column<infer Config>
      ? Config['notNull'] extends true
        ? Config['data']
        : Config['data'] | null
      : never
type RowOf<F extends Fields> = { [Name in keyof F]: ValueOf<F[Name]> }

/**
 * Selects the columns of a row as one JSON array, which the driver and Drizzle read several times as fast as twenty cells.
 * SQL expressions are not decoded.
 */
export function jsonRow<F extends Fields>(fields: F): SQL<RowOf<F>> {
  return jsonArray(fields).mapWith(reader(fields))
}

/** Like `jsonRow`, for the optional side of a join: null where the first column is null. */
export function optionalJsonRow<F extends Fields>(fields: F): SQL<RowOf<F> | null> {
  const [first] = Object.values(fields)
  return sql<RowOf<F> | null>`iif(${first} is null, null, ${jsonArray(fields)})`.mapWith(reader(fields))
}

function jsonArray(fields: Fields): SQL {
  return sql`json_array(${sql.join(Object.values(fields), sql`, `)})`
}

function reader<F extends Fields>(fields: F) {
  const columns = Object.entries(fields)
  return (text: string): RowOf<F> => {
    const values: unknown[] = JSON.parse(text)
    const row: Record<string, unknown> = {}
    columns.forEach(([name, column], place) => {
      const value = values[place]
      row[name] = value !== null && is(column, Column) ? column.mapFromDriverValue(value) : value
    })
    return row as RowOf<F>
  }
}
