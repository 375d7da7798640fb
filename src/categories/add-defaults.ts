import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../database/run.ts'
import { categoryNameKey } from '../domain/category-name-key.ts'
import { defaultCategories } from './defaults.ts'

/** Adds the default categories if this round trip has created the user. */
export function addDefaultCategories(db: Database, userId: SQL<number>, now: Date) {
  const rows = defaultCategories.map(({ name, type }) => [name, categoryNameKey(name), type])
  return db.run(sql`
    insert into categories (user_id, name, name_key, type, created_at, updated_at)
    select users.id, value ->> 0, value ->> 1, value ->> 2, ${now.getTime()}, ${now.getTime()}
      from users, json_each(${JSON.stringify(rows)})
     where users.id = ${userId} and users.created_at = ${now.getTime()}
       and not exists (select 1 from categories where user_id = users.id)
     order by key`)
}
