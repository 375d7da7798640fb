import * as fc from 'fast-check'
import {
  anyOf,
  claimed,
  idempotencyKey,
  invalid,
  keyed,
  keyHeader,
  keySpent,
  operation,
  upTo,
  type Verdict,
} from './calls.ts'
import { shownCategories } from './shown.ts'
import type { Category, State } from './state.ts'

/** Few names in two spellings, so that some are taken; the last ones exist from the start. */
export const categoryNames = ['Pets', 'pets', 'Food', 'Fun', 'Groceries', 'SALARY']

const fields = {
  name: fc.constantFrom(...categoryNames),
  type: fc.constantFrom('income' as const, 'expense' as const),
}

/** Names are compared without regard to case. */
export const nameKey = (name: string) => name.toLowerCase()

/** The verdict on a category to be stored: no other of the user may have its name and type. */
function unlessTaken(state: State, category: Category, status: number): Verdict {
  const isTaken = state
    .of(state.categories, category.user_id)
    .some(
      ({ id, name, type }) =>
        id !== category.id && type === category.type && nameKey(name) === nameKey(category.name),
    )
  if (isTaken) return invalid({ name: ['The name has already been taken.'] })
  return {
    status,
    body: category,
    next: state.after((next) => next.categories.set(category.id, category)),
  }
}

export const categoryOperations = [
  operation('add a category', 3, { said: fc.record(fields), key: idempotencyKey }, (caller, drawn) => {
    const options = { body: drawn.said, headers: keyHeader(drawn.key) }
    const call = caller.request('POST', '/api/categories', options, (state, user, { body }) => {
      const key = drawn.key === null ? undefined : `${user.id} category ${drawn.key}`
      const earlier = state.madeWith(state.categories, key)
      if (earlier) return { status: 200, body: earlier }
      if (state.hasMade(key)) return keySpent('a category')
      return keyed(
        unlessTaken(state, { id: body?.id, user_id: user.id, ...drawn.said, version: 1 }, 201),
        key,
        body?.id,
      )
    })
    return { ...call, made: ({ body }) => [['categories', body?.id]] }
  }),

  operation(
    'change a category',
    3,
    { category: upTo(25), changes: fc.record(fields, { requiredKeys: [] }) },
    (caller, { category, changes }) => {
      const id = caller.pick('categories', category)
      return caller.request('PUT', `/api/categories/${id}`, { body: changes }, (state, user) =>
        claimed('categories', state.categories.get(id), user, (category) =>
          unlessTaken(state, { ...category, ...changes, version: category.version + 1 }, 200),
        ),
      )
    },
  ),

  operation('drop a category', 2, { category: anyOf }, (caller, { category }) => {
    const id = caller.pick('categories', category)
    return caller.request('DELETE', `/api/categories/${id}`, {}, (state, user) =>
      claimed('categories', state.categories.get(id), user, () => ({
        status: 204,
        next: state.after((next) => next.dropCategory(id)),
      })),
    )
  }),

  operation('show a category', 1, { category: anyOf }, (caller, { category }) => {
    const id = caller.pick('categories', category)
    return caller.request('GET', `/api/categories/${id}`, {}, (state, user) =>
      claimed('categories', state.categories.get(id), user, (category) => ({ status: 200, body: category })),
    )
  }),
]

export const listCategories = operation('list the categories', 1, {}, (caller) =>
  caller.request('GET', '/api/categories', {}, (state, user) => ({
    status: 200,
    body: shownCategories(state, user.id),
  })),
)
