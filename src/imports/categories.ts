import { type SQL, sql } from 'drizzle-orm'
import type { UserScope } from '../database/owner.ts'
import { maxCategories } from '../database/quotas.ts'
import { categoryNameKey } from '../domain/category-name-key.ts'
import type { ImportRow } from './import-file.ts'

/** The categories that rows name: a name, its key and a type each. */
export function namedCategories(rows: ImportRow[]): [name: string, key: string, type: string][] {
  const named = new Map<string, [name: string, key: string, type: string]>()
  for (const { category, type } of rows) {
    if (typeof category !== 'string') continue
    const [key, kind] = [categoryNameKey(category), type === 'income' ? 'income' : 'expense']
    named.set(key, named.get(key) ?? [category, key, kind])
  }
  // No more than the quota need be sent: beyond that, it is exceeded anyway.
  return [...named.values()].slice(0, maxCategories + 1)
}

/** Those of them that the user has in neither type: a FROM clause with their `value`. */
export function missingCategories({ id }: UserScope, named: string): SQL {
  return sql`
      from json_each(${named})
     where not exists (select 1 from categories where user_id = ${id} and name_key = value ->> 1)`
}

/** If the guard holds, creates those of the named categories that are missing. */
export function createMissingCategories(owner: UserScope, now: Date, named: string, guard: SQL): SQL {
  const { id } = owner
  return sql`
    insert into categories (user_id, name, name_key, type, created_at, updated_at)
    select ${id}, value ->> 0, value ->> 1, value ->> 2, ${now}, ${now}
           ${missingCategories(owner, named)} and ${guard} and ${id} is not null
     order by key`
}
