import { sql } from 'drizzle-orm'
import type { CategoryChanges, NewCategory } from '../../categories/contract.ts'
import { deletedCategoryColumns } from '../../categories/delete.ts'
import { categoryQuota } from '../../database/quotas.ts'
import { rule } from '../../database/rules.ts'
import { categories } from '../../database/schema.ts'
import { categoryNameKey } from '../../domain/category-name-key.ts'
import { takenText } from '../../domain/field-errors.ts'
import type { Operation } from '../operations-contract.ts'
import { type CreatedNoun, creationStep } from './creations.ts'
import { isTargetRow, type Step } from './steps.ts'
import { type ChangedNoun, deletionStep, updateStep } from './updates.ts'

const conflictGroups = {
  name: 'name',
  name_key: 'name',
  type: 'type',
} satisfies Record<(keyof CategoryChanges & keyof NewCategory) | 'name_key', string>

// Names are checked before any is written, since a failing unique index would undo the whole upload. A name is taken if
// another row has it or an earlier operation takes it.

const changed: ChangedNoun = {
  table: 'categories',
  conflictGroups,
  isRow: (userId) => isTargetRow(userId, 'categories'),
  hasVersion: true,
  windowColumns: sql`
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

const created: CreatedNoun = {
  name: 'category',
  table: 'categories',
  fields: Object.keys(conflictGroups),
  windowColumns: sql`
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

export const createCategories = withNameKeys(creationStep(created))

export const updateCategories = withNameKeys(
  updateStep(changed, 'update category', () => [{ fields: Object.keys(conflictGroups) }]),
)

export const deleteCategories = withNameKeys(
  deletionStep(changed, 'delete category', ({ db }, ids) => [
    db.update(categories).set(deletedCategoryColumns).where(sql`${categories.id} in (${ids})`),
  ]),
)

/** The step, with the form in which names are compared added to its operations. */
function withNameKeys(step: Step): Step {
  return (owner, context, operations) =>
    step(
      owner,
      context,
      operations.map(({ set, was, ...rest }) => ({ ...rest, set: withNameKey(set), was: withNameKey(was) })),
    )
}

function withNameKey(fields: Operation['set']): Operation['set'] {
  const { name } = fields
  return typeof name === 'string' ? { ...fields, name_key: categoryNameKey(name) } : fields
}
