import { sql } from 'drizzle-orm'
import type { World } from '../fixtures/world.ts'
import { openWorldDatabase } from '../laws/every-route.ts'

type Named = { name: string; sql: string }
type Table = { name: string; columns: string }

/** Keeps a copy of a world's database beside it; what it returns puts that copy back, as a restored backup would. */
export async function backUp(world: World): Promise<() => Promise<void>> {
  const db = openWorldDatabase(world)
  const [tables, triggers] = await db.batch([
    db.all<Table>(sql`
      select list.name, group_concat('"' || columns.name || '"') as columns
        from pragma_table_list list, pragma_table_xinfo(list.name) columns
       where list.schema = 'main' and list.type = 'table' and columns.hidden = 0
         and (list.name = 'sqlite_sequence' or list.name not like 'sqlite%')
         and list.name not like '%drizzle%' and list.name not like 'libsql%' and list.name not like 'kept %'
       group by list.name`),
    db.all<Named>(sql`select name, sql from sqlite_schema where type = 'trigger'`),
  ])
  const keep = tables.flatMap(({ name, columns }) => [
    `drop table if exists "kept ${name}"`,
    `create table "kept ${name}" as select ${columns} from "${name}"`,
  ])
  const putBack = [
    'pragma defer_foreign_keys = on',
    ...triggers.map(({ name }) => `drop trigger "${name}"`),
    // All tables are emptied before any is filled, since deletions cascade.
    ...tables.map(({ name }) => `delete from "${name}"`),
    ...tables.map(
      ({ name, columns }) => `insert into "${name}" (${columns}) select ${columns} from "kept ${name}"`,
    ),
    ...triggers.map((trigger) => trigger.sql),
  ]
  const run = async (statements: string[]) => {
    await db.batch(statements.map((one) => db.run(sql.raw(one))) as [ReturnType<typeof db.run>])
  }
  await run(keep)
  return () => run(putBack)
}
