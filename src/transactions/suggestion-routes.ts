import { Hono } from 'hono/tiny'
import { categorySuggestions } from '../categories/contract.ts'
import type { ShownSuggestions } from '../categories/response-contract.ts'
import type { App } from '../http/app-types.ts'
import { body } from '../http/validate.ts'
import { suggestCategories } from './learned-categories.ts'

/** Categories for rows, as the user has filed others. */
export const suggestionRoutes = new Hono<App>().post('/', body(categorySuggestions), async (c) => {
  const suggestions = await suggestCategories(c.get('owner'), c.req.valid('json'))
  return c.json<ShownSuggestions>({ suggestions })
})
