import { Hono } from 'hono/tiny'
import { overrideQuery } from '../domain/reconciled.ts'
import { expectedVersions, ifMatch } from '../domain/versions.ts'
import { withErrors } from '../failures/draft.ts'
import type { App } from '../http/app-types.ts'
import { withETag } from '../http/conditional-get.ts'
import { limitLargeResponse } from '../http/large-responses.ts'
import { pathId } from '../http/path-id.ts'
import { body, header, query } from '../http/validate.ts'
import { clientIdOfKey } from './client-ids.ts'
import {
  defaultPageSize,
  newTransactionKey,
  postedTransaction,
  transactionQuery,
  transactionUpdate,
} from './contract.ts'
import { createTransaction } from './create.ts'
import { deleteTransaction } from './delete.ts'
import { listTransactions } from './list.ts'
import { presentPage, presentTransaction, presentWithRelations } from './present.ts'
import { showTransaction } from './read.ts'
import { updateTransaction } from './update.ts'

/** Income, expenses and transfers. */
export const transactionRoutes = new Hono<App>()
  .get('/', withETag(), query(transactionQuery), async (c) => {
    const draft = c.req.valid('query')
    return limitLargeResponse(c, draft.values.per_page ?? defaultPageSize, async () => {
      const found = await listTransactions(c.get('owner'), draft)
      const rows = found.rows.map(presentWithRelations)
      return c.json(presentPage(c.get('deps').config.links.appUrl, c.req.url, { ...found, rows }))
    })
  })
  .post('/', header(newTransactionKey), body(postedTransaction), async (c) => {
    const { values, errors } = c.req.valid('header')
    const draft = withErrors(c.req.valid('json'), errors)
    draft.values.client_id ??= clientIdOfKey(values['Idempotency-Key'])
    const { transaction, isNew } = await createTransaction(c.get('owner'), draft)
    return c.json(presentTransaction(transaction), isNew ? 201 : 200)
  })
  .get('/:id', withETag(), async (c) =>
    c.json(presentWithRelations(await showTransaction(c.get('owner'), pathId(c)))),
  )
  .on(['PUT', 'PATCH'], '/:id', header(ifMatch), body(transactionUpdate), async (c) => {
    const expected = expectedVersions(c.req.valid('header').values)
    return c.json(
      presentTransaction(await updateTransaction(c.get('owner'), pathId(c), c.req.valid('json'), expected)),
    )
  })
  .delete('/:id', header(ifMatch), query(overrideQuery), async (c) => {
    const expected = expectedVersions(c.req.valid('header').values)
    await deleteTransaction(c.get('owner'), pathId(c), c.req.valid('query'), expected)
    return c.body(null, 204)
  })
