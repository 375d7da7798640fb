import * as z from 'zod/mini'
import { doc, field } from '../domain/doc.ts'
import { id, listOf, nullableText, oneOf, text } from '../domain/fields.ts'
import { idempotencyKeyHeader } from '../domain/idempotency-key-header.ts'
import { categoryTypes, transactionTypes } from '../domain/types.ts'

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

// Other limits: failures/limits.ts.

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
