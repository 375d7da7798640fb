import { Hono } from 'hono/tiny'
import type { App } from '../http/app-types.ts'
import { withETag } from '../http/conditional-get.ts'
import { withPasswordConfirmation } from '../http/password-confirmation.ts'
import { hashing } from '../http/rate-limits.ts'
import { body } from '../http/validate.ts'
import { farewell, passwordChange, profileChanges } from './contract.ts'
import { deleteUser } from './delete.ts'
import { changePassword } from './password.ts'
import { presentUser } from './present.ts'
import { showUser, updateProfile } from './profile.ts'

/** The user's own profile. */
export const meRoutes = new Hono<App>()
  .get('/', withETag(), async (c) => c.json(presentUser(await showUser(c.get('owner')))))
  .on(['PUT', 'PATCH'], '/', body(profileChanges), async (c) => {
    return c.json(presentUser(await updateProfile(c.get('owner'), c.req.valid('json'))))
  })
  .on(['PUT', 'PATCH'], '/password', body(passwordChange), async (c) => {
    await changePassword(c.get('owner'), withPasswordConfirmation(c.req.valid('json')), hashing(c))
    return c.json({ message: 'Your password has been changed.' })
  })
  .delete('/', body(farewell), async (c) => {
    const { mailQueue, removalQueue } = c.get('deps')
    await deleteUser(c.get('owner'), c.req.valid('json'), { hashing: hashing(c), mailQueue, removalQueue })
    return c.body(null, 204)
  })
