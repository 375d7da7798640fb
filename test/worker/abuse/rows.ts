import { sql } from 'drizzle-orm'
import type { World } from '../fixtures/world.ts'
import { askDatabase } from '../laws/every-route.ts'

type Row = Record<string, unknown>

/** Every row that belongs to a user, by table, as it is in the database. */
export async function rowsOf(world: World, userId: number): Promise<Record<string, Row[]>> {
  const tables = await askDatabase(
    world,
    sql`
      select t.name, c.name as owner from sqlite_master t join pragma_table_info(t.name) c
       where t.type = 'table' and (c.name = 'user_id' or t.name = 'users' and c.name = 'id')`,
  )
  const found: Record<string, Row[]> = {}
  for (const { name, owner } of tables)
    found[String(name)] = await askDatabase(
      world,
      sql.raw(`select * from ${name} where ${owner} = ${userId} order by 1, 2`),
    )
  return found
}
