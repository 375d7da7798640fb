import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Hono } from 'hono/tiny'
import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import type { Deps } from '../../src/deps.ts'
import { defaultBudgets } from '../../src/failures/budgets.ts'
import { deadlineAfter } from '../../src/failures/deadline.ts'
import type { App } from '../../src/http/app-types.ts'
import { bodyWith } from '../../src/http/validate.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

// Three hundred bodies of 64 KB, waiting for the database, ended an isolate with 128 MB of heap.
test('a parsed body is not held while the handler waits', async () => {
  let parsed: WeakRef<object> | undefined
  const body = bodyWith(z.object({}), 1_024, (input) => {
    parsed = new WeakRef(input as object)
    return {}
  })
  const app = new Hono<App>()
    .use((c, next) => {
      c.set('deadline', deadlineAfter(1_000))
      c.set('deps', { config: { budgets: defaultBudgets } } as Deps)
      return next()
    })
    .post('/', body, async (c) => {
      await setImmediate()
      collectGarbage()
      return c.json({ isHeld: parsed?.deref() !== undefined })
    })
  // Workers alone can read the stream of a request as we do, so the body is empty, which counts as `{}`.
  const headers = { 'Content-Type': 'application/json' }
  const response = await app.request('/', { method: 'POST', headers })
  expect(await response.json()).toEqual({ isHeld: false })
})
