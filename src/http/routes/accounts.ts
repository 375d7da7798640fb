import { Hono } from 'hono'
import * as z from 'zod/mini'
import { money, nullableText, oneOf, text } from '../../contract/fields.ts'
import { withErrors } from '../../domain/draft.ts'
import { accountTypes } from '../../domain/types.ts'
import {
  createAccount,
  deleteAccount,
  listAccounts,
  showAccount,
  updateAccount,
} from '../../services/accounts.ts'
import type { App } from '../app-types.ts'
import { readIdempotencyKey } from '../idempotency-key.ts'
import { pathId } from '../path-id.ts'
import { presentAccount } from '../present.ts'
import { body } from '../validate.ts'

const newAccount = z.object({
  name: text(),
  type: oneOf(accountTypes),
  starting_balance: money,
  notes: z.optional(nullableText(65_535)),
})
const accountChanges = z.partial(newAccount)

/** Accounts and their balances (api.md §4.3). */
export const accountRoutes = new Hono<App>()
  .get('/', async (c) => c.json((await listAccounts(c.var.owner)).map(presentAccount)))
  .post('/', body(newAccount), async (c) => {
    const { key, errors } = readIdempotencyKey(c)
    const draft = withErrors(c.req.valid('json'), errors)
    const { account, isNew } = await createAccount(c.var.owner, draft, key)
    return c.json(presentAccount(account), isNew ? 201 : 200)
  })
  .get('/:id', async (c) => c.json(presentAccount(await showAccount(c.var.owner, pathId(c)))))
  .on(['PUT', 'PATCH'], '/:id', body(accountChanges), async (c) => {
    return c.json(presentAccount(await updateAccount(c.var.owner, pathId(c), c.req.valid('json'))))
  })
  .delete('/:id', async (c) => {
    await deleteAccount(c.var.owner, pathId(c))
    return c.body(null, 204)
  })
