import { sql } from 'drizzle-orm'
import type { World } from '../fixtures/world.ts'
import { openWorldDatabase } from '../laws/every-route.ts'

type Row = Record<string, unknown>

/** Every row that belongs to a user, by table, as it is in the database. */
export async function rowsOf(world: World, userId: number): Promise<Record<string, Row[]>> {
  const db = openWorldDatabase(world)
  const [tables] = await db.batch([
    db.all<{ name: string; owner: string }>(sql`
      select t.name, c.name as owner from sqlite_master t join pragma_table_info(t.name) c
       where t.type = 'table' and (c.name = 'user_id' or t.name = 'users' and c.name = 'id')`),
  ])
  const found: Record<string, Row[]> = {}
  for (const { name, owner } of tables) {
    const query = sql.raw(`select * from ${name} where ${owner} = ${userId} order by 1, 2`)
    const [rows] = await db.batch([db.all<Row>(query)])
    found[name] = rows
  }
  return found
}
