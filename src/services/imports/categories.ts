import { type SQL, sql } from 'drizzle-orm'
import type { Owner } from '../../db/owner.ts'
import { categoryNameKey } from '../../domain/categories.ts'
import { maxCategories } from '../quotas.ts'
import type { ImportRow } from './import-file.ts'

/** The categories that rows name and the user lacks, in either type: a FROM clause whose `value` is name, key and type. */
export function missingCategories({ id }: Owner, rows: ImportRow[]): SQL {
  const named = new Map<string, [name: string, key: string, type: string]>()
  for (const { category, type } of rows) {
    if (typeof category !== 'string') continue
    const [key, kind] = [categoryNameKey(category), type === 'income' ? 'income' : 'expense']
    named.set(key, named.get(key) ?? [category, key, kind])
  }
  // No more than the quota need be sent: beyond that, it is exceeded anyway.
  const list = [...named.values()].slice(0, maxCategories + 1)
  return sql`
      from json_each(${JSON.stringify(list)})
     where not exists (select 1 from categories where user_id = ${id} and name_key = value ->> 1)`
}

/** Creates the missing categories if the guard holds. */
export function createMissingCategories({ id, now }: Owner, missing: SQL, guard: SQL): SQL {
  return sql`
    insert into categories (user_id, name, name_key, type, created_at, updated_at)
    select ${id}, value ->> 0, value ->> 1, value ->> 2, ${now.getTime()}, ${now.getTime()}
           ${missing} and ${guard} and ${id} is not null
     order by key`
}
