import { sql } from 'drizzle-orm'
import type { CategoryChanges, NewCategory } from '../../contract/categories.ts'
import type { Operation } from '../../contract/operations.ts'
import { prepareOwned } from '../../db/owner.ts'
import type { Slots } from '../../db/prepared.ts'
import { categories } from '../../db/schema.ts'
import { categoryNameKey } from '../../domain/categories.ts'
import { takenText } from '../../domain/draft.ts'
import { nobodysCategory } from '../categories.ts'
import { rule } from '../guards.ts'
import { categoryQuota } from '../quotas.ts'
import { creation, type NewRows } from './creations.ts'
import { type Staged, type Step, uploadOf } from './steps.ts'
import { applyUpdates, changesAsJson, deletion, isNamed, judgeUpdates, type NounTable } from './updates.ts'

const groupOf = {
  name: 'name',
  name_key: 'name',
  type: 'type',
} satisfies Record<(keyof CategoryChanges & keyof NewCategory) | 'name_key', string>

// Names are judged before any is written, since a failing unique index would undo the whole upload: a name that another
// row has, or an earlier operation takes, is taken.

const changed: NounTable = {
  table: 'categories',
  groupOf,
  row: (userId) => isNamed(userId, 'categories'),
  hasVersion: true,
  counted: sql`
    row_number() over (
      partition by next_name_key, next_type, row_id is null or conflicting <> '[]' order by position) as nth_of_name`,
  rules: (userId) => [
    rule(
      'name',
      takenText,
      sql`((next_name_key, next_type) is (now_name_key, now_type) or nth_of_name = 1 and not exists (
        select 1 from ${categories} taken
         where taken.user_id = ${userId} and taken.name_key = next_name_key and taken.type = next_type
           and taken.id <> row_id))`,
    ),
  ],
}

const added: NewRows = {
  noun: 'category',
  table: 'categories',
  fields: Object.keys(groupOf),
  counted: sql`
    row_number() over (
      partition by known_id is null and not is_spent, name_key, type order by position) as nth_of_name`,
  rules: (userId) => [
    rule(
      'name',
      takenText,
      sql`(nth_of_name = 1 and not exists (
        select 1 from ${categories} taken
         where taken.user_id = ${userId} and taken.name_key = counted.name_key and taken.type = counted.type))`,
    ),
    categoryQuota(userId, 'name', sql`nth`),
  ],
}

const update = prepareOwned((owner, staged: Slots<Staged>) => {
  const { db, now } = owner
  const upload = uploadOf(owner, staged)
  const { json } = staged
  const step = { noun: changed, step: 'update category' }
  return {
    judged: db.run(judgeUpdates(upload, { ...step, json })),
    updated: db.run(applyUpdates(upload, { ...step, fields: Object.keys(groupOf) }, now)),
  }
})

const create = creation(added)

export const createCategories: Step = (owner, asked, operations) =>
  create(owner, asked, operations.map(withNameKeys))

export const updateCategories: Step = (owner, asked, operations) =>
  Object.values(update(owner, { ...asked, json: changesAsJson(changed, operations.map(withNameKeys)) }))

const remove = deletion(changed, 'delete category', ({ db }, ids) =>
  db.update(categories).set(nobodysCategory).where(sql`${categories.id} in (${ids})`),
)

export const deleteCategories: Step = (owner, asked, operations) =>
  remove(owner, asked, operations.map(withNameKeys))

/** Names with the form in which they are compared. */
function withNameKeys({ set, was, ...operation }: Operation): Operation {
  return { ...operation, set: withNameKey(set), was: withNameKey(was) }
}

function withNameKey(fields: Operation['set']): Operation['set'] {
  const { name } = fields
  return typeof name === 'string' ? { ...fields, name_key: categoryNameKey(name) } : fields
}
