import { Hono } from 'hono/tiny'
import { expectedVersions, ifMatch } from '../domain/versions.ts'
import { withErrors } from '../failures/draft.ts'
import type { App } from '../http/app-types.ts'
import { withETag } from '../http/conditional-get.ts'
import { pathId } from '../http/path-id.ts'
import { body, header } from '../http/validate.ts'
import { categoryChanges, newCategory, newCategoryKey } from './contract.ts'
import { createCategory } from './create.ts'
import { deleteCategory } from './delete.ts'
import { presentCategory } from './present.ts'
import { listCategories, showCategory } from './read.ts'
import { updateCategory } from './update.ts'

/** Categories, the defaults included. */
export const categoryRoutes = new Hono<App>()
  .get('/', withETag(), async (c) => c.json((await listCategories(c.get('owner'))).map(presentCategory)))
  .post('/', header(newCategoryKey), body(newCategory), async (c) => {
    const { values, errors } = c.req.valid('header')
    const draft = withErrors(c.req.valid('json'), errors)
    const { category, isNew } = await createCategory(c.get('owner'), draft, values['Idempotency-Key'])
    return c.json(presentCategory(category), isNew ? 201 : 200)
  })
  .get('/:id', withETag(), async (c) =>
    c.json(presentCategory(await showCategory(c.get('owner'), pathId(c)))),
  )
  .on(['PUT', 'PATCH'], '/:id', header(ifMatch), body(categoryChanges), async (c) => {
    const expected = expectedVersions(c.req.valid('header').values)
    return c.json(
      presentCategory(await updateCategory(c.get('owner'), pathId(c), c.req.valid('json'), expected)),
    )
  })
  .delete('/:id', header(ifMatch), async (c) => {
    const expected = expectedVersions(c.req.valid('header').values)
    await deleteCategory(c.get('owner'), pathId(c), expected)
    return c.body(null, 204)
  })
