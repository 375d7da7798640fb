import { Hono } from 'hono/tiny'
import { expectedVersions, ifMatch } from '../domain/versions.ts'
import { withErrors } from '../failures/draft.ts'
import type { App } from '../http/app-types.ts'
import { withETag } from '../http/conditional-get.ts'
import { pathId } from '../http/path-id.ts'
import { body, header } from '../http/validate.ts'
import { accountUpdate, newAccountKey, postedAccount } from './contract.ts'
import { createAccount } from './create.ts'
import { deleteAccount } from './delete.ts'
import { presentAccount } from './present.ts'
import { listAccounts, showAccount } from './read.ts'
import { updateAccount } from './update.ts'

/** Accounts and their balances. */
export const accountRoutes = new Hono<App>()
  .get('/', withETag(), async (c) => c.json((await listAccounts(c.get('owner'))).map(presentAccount)))
  .post('/', header(newAccountKey), body(postedAccount), async (c) => {
    const { values, errors } = c.req.valid('header')
    const draft = withErrors(c.req.valid('json'), errors)
    const { account, isNew } = await createAccount(c.get('owner'), draft, values['Idempotency-Key'])
    return c.json(presentAccount(account), isNew ? 201 : 200)
  })
  .get('/:id', withETag(), async (c) => c.json(presentAccount(await showAccount(c.get('owner'), pathId(c)))))
  .on(['PUT', 'PATCH'], '/:id', header(ifMatch), body(accountUpdate), async (c) => {
    const expected = expectedVersions(c.req.valid('header').values)
    return c.json(
      presentAccount(await updateAccount(c.get('owner'), pathId(c), c.req.valid('json'), expected)),
    )
  })
  .delete('/:id', header(ifMatch), async (c) => {
    const expected = expectedVersions(c.req.valid('header').values)
    await deleteAccount(c.get('owner'), pathId(c), expected, c.get('deps').removalQueue)
    return c.body(null, 204)
  })
