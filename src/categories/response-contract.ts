import * as z from 'zod/mini'
import { doc, field } from '../domain/doc.ts'
import * as shown from '../domain/shown.ts'
import { categoryTypes } from '../domain/types.ts'
import { versionConflict } from '../domain/versions.ts'

// The responses; contract.ts has the requests.

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
