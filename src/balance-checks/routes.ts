import { Hono } from 'hono/tiny'
import { maxChecks } from '../database/quotas.ts'
import { overrideQuery } from '../domain/reconciled.ts'
import { expectedVersions, ifMatch } from '../domain/versions.ts'
import { withErrors } from '../failures/draft.ts'
import type { App } from '../http/app-types.ts'
import { withETag } from '../http/conditional-get.ts'
import { limitLargeResponse } from '../http/large-responses.ts'
import { pathId } from '../http/path-id.ts'
import { body, header, query } from '../http/validate.ts'
import { balanceCheckQuery, balanceCheckUpdate, newBalanceCheck, newBalanceCheckKey } from './contract.ts'
import { createCheck } from './create.ts'
import { deleteCheck } from './delete.ts'
import { explainCheck } from './explain.ts'
import { presentCheck, presentExplained } from './present.ts'
import { listChecks } from './read.ts'
import { updateCheck } from './update.ts'

/** Balances of the bank, compared with those of accounts. */
export const balanceCheckRoutes = new Hono<App>()
  .get('/', withETag(), query(balanceCheckQuery), (c) =>
    limitLargeResponse(c, maxChecks, async () =>
      c.json((await listChecks(c.get('owner'), c.req.valid('query'))).map(presentCheck)),
    ),
  )
  .post('/', header(newBalanceCheckKey), body(newBalanceCheck), async (c) => {
    const { values, errors } = c.req.valid('header')
    const draft = withErrors(c.req.valid('json'), errors)
    const { check, isNew } = await createCheck(c.get('owner'), draft, values['Idempotency-Key'])
    return c.json(presentCheck(check), isNew ? 201 : 200)
  })
  .get('/:id', withETag(), async (c) =>
    c.json(presentExplained(await explainCheck(c.get('owner'), pathId(c)))),
  )
  .on(['PUT', 'PATCH'], '/:id', header(ifMatch), body(balanceCheckUpdate), async (c) => {
    const expected = expectedVersions(c.req.valid('header').values)
    return c.json(presentCheck(await updateCheck(c.get('owner'), pathId(c), c.req.valid('json'), expected)))
  })
  .delete('/:id', header(ifMatch), query(overrideQuery), async (c) => {
    const expected = expectedVersions(c.req.valid('header').values)
    await deleteCheck(c.get('owner'), pathId(c), c.req.valid('query'), expected)
    return c.body(null, 204)
  })
