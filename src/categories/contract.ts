import * as z from 'zod/mini'
import { doc, field } from '../shared/doc.ts'
import { id, listOf, nullableText, oneOf, text } from '../shared/fields.ts'
import { idempotencyKeyHeader } from '../shared/idempotency-key-header.ts'
import * as shown from '../shared/shown.ts'
import { categoryTypes, transactionTypes } from '../shared/types.ts'
import { versionConflict } from '../shared/versions.ts'

export const newCategory = z.object({
  name: field(text(), doc('The name to show.')),
  type: field(oneOf(categoryTypes), doc('What the category is for.')),
})
export type NewCategory = z.output<typeof newCategory>

export const newCategoryKey = idempotencyKeyHeader(
  doc(
    'Makes the call safe to repeat: a repeat, with any valid body, answers with the category of the first call, or a 422 if that has been deleted.',
  ),
)

export const categoryChanges = z.partial(newCategory)
export type CategoryChanges = z.output<typeof categoryChanges>

const groceries = () => ({ id: 1, user_id: 1, name: 'Groceries', type: 'expense' as const, version: 1 })

export const category = shown.object(
  'Category',
  'What money is spent on, or where it comes from.',
  {
    id: shown.id(),
    user_id: shown.id(),
    name: z.string(),
    type: z.enum(categoryTypes),
    version: shown.version(),
  },
  groceries(),
)
export type ShownCategory = z.output<typeof category>

export const categoryConflict = versionConflict('CategoryConflict', category, {
  message: 'The category has changed.',
  current: { ...groceries(), name: 'Food', version: 2 },
})

// Other limits: shared/limits.ts.

/** The most rows for which one call suggests categories. */
export const maxSuggestions = 200

/** Rows for which a category is wanted. */
export const categorySuggestions = z.object({
  items: field(
    listOf(
      field(
        z.object({
          description: field(nullableText(), doc('What the bank or the user calls it.')),
          type: field(oneOf(transactionTypes), doc('Rows of the same type are compared.')),
          account_id: field(z.optional(id), doc('Where payees differ by account, its rows count.')),
        }),
        doc({ id: 'UnfiledRow', description: 'A row without a category.' }),
      ),
      maxSuggestions,
    ),
    doc('Rows that are not recorded yet.'),
  ),
})
export type CategorySuggestions = z.output<typeof categorySuggestions>

const suggestedCategory = shown.object('SuggestedCategory', 'A category, and why it is suggested.', {
  id: shown.id(),
  name: z.string(),
  because: z.string(),
})

export const suggestedCategories = shown.object(
  'SuggestedCategories',
  'The categories under which the user filed such rows before.',
  {
    suggestions: field(
      z.array(z.nullable(suggestedCategory)),
      doc('In the order of the items; null where the rows of a payee do not agree.'),
    ),
  },
  {
    suggestions: [
      { id: 1, name: 'Groceries', because: '4 of the last 4 from "lidl" are in Groceries' },
      null,
    ],
  },
)
export type ShownSuggestions = z.output<typeof suggestedCategories>
