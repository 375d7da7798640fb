import { Hono } from 'hono'
import * as z from 'zod/mini'
import { date, id, oneOf, text } from '../../contract/fields.ts'
import { pageSize } from '../../contract/transactions.ts'
import { withErrors } from '../../domain/draft.ts'
import { transactionTypes } from '../../domain/types.ts'
import { createTransaction } from '../../services/transactions/create.ts'
import { deleteTransaction } from '../../services/transactions/delete.ts'
import { listTransactions } from '../../services/transactions/list.ts'
import { showTransaction } from '../../services/transactions/read.ts'
import { updateTransaction } from '../../services/transactions/update.ts'
import type { App } from '../app-types.ts'
import { readIdempotencyKey } from '../idempotency-key.ts'
import { pageNumber, presentPage } from '../pagination.ts'
import { pathId } from '../path-id.ts'
import { presentTransaction, presentTransactionWithRelations } from '../present.ts'
import { clientIdLength, newTransaction, transactionChanges } from '../transaction-schemas.ts'
import { body, query } from '../validate.ts'

const listQuery = z.partial(
  z.object({
    account_id: id,
    category_id: z.union([z.literal('none'), id], { error: 'The selected :field is invalid.' }),
    type: oneOf(transactionTypes),
    from: date,
    to: date,
    q: text(),
    per_page: pageSize,
  }),
)

/** Income, expenses and transfers (api.md §4.2). */
export const transactionRoutes = new Hono<App>()
  .get('/', query(listQuery), async (c) => {
    const page = pageNumber(c.req.queries('page')?.at(-1))
    const found = await listTransactions(c.var.owner, page, c.req.valid('query'))
    const rows = found.rows.map(presentTransactionWithRelations)
    return c.json(presentPage(c.var.deps.config.links.appUrl, c.req.url, { ...found, rows }))
  })
  .post('/', body(newTransaction), async (c) => {
    const { key, errors } = readIdempotencyKey(c, clientIdLength)
    const draft = withErrors(c.req.valid('json'), errors)
    if (key !== null) draft.values.client_id ??= key
    const { transaction, isNew } = await createTransaction(c.var.owner, draft)
    return c.json(presentTransaction(transaction), isNew ? 201 : 200)
  })
  .get('/:id', async (c) => {
    return c.json(presentTransactionWithRelations(await showTransaction(c.var.owner, pathId(c))))
  })
  .on(['PUT', 'PATCH'], '/:id', body(transactionChanges), async (c) => {
    return c.json(presentTransaction(await updateTransaction(c.var.owner, pathId(c), c.req.valid('json'))))
  })
  .delete('/:id', async (c) => {
    await deleteTransaction(c.var.owner, pathId(c))
    return c.body(null, 204)
  })
