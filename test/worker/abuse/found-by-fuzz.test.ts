import { expect, test } from 'vitest'
import { createWorld } from '../fixtures/world.ts'
import { protectedRoutes } from '../laws/every-route.ts'

test.each(protectedRoutes.filter((route) => route.includes(':')))(
  '%s, its pattern spelled out, is a 404 as for any malformed id, even if the body has no announced length',
  async (route) => {
    const world = createWorld()
    const { token } = await world.register()
    const [method = '', path = ''] = route.split(' ')
    const rawBody = new TextEncoder().encode('{"name":"Somebody"}')
    const body = method === 'GET' ? {} : { rawBody, headers: { 'Content-Type': 'application/json' } }
    expect((await world.call(method, path, { token, ...body })).status).toBe(404)
  },
)
