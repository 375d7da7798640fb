import { afterEach, expect } from 'vitest'
import { faultsOfResponse } from './document.ts'

/**
 * Checks every response of a stack's API, to a test or to a client under test, against the OpenAPI document. Faults fail the
 * test when it ends: thrown at once, a client could take one for a lost connection.
 */
const faults: string[] = []
const plainFetch = globalThis.fetch

globalThis.fetch = async (input, init) => {
  const response = await plainFetch(input, init)
  const { pathname, search } = new URL(response.url || 'http://nowhere')
  // Only the Worker sends this header, and only the Worker has a contract.
  if (pathname.startsWith('/api') && response.headers.has('X-Request-Id')) {
    const method = (init?.method ?? (input instanceof Request ? input.method : 'GET')).toUpperCase()
    const text = await response
      .clone()
      .text()
      // Some tests cut responses in half.
      .catch(() => undefined)
    const { status, headers } = response
    const exchange = { method, path: `${pathname}${search}`, status, headers }
    if (text !== undefined) {
      const found = faultsOfResponse({ ...exchange, text })
      faults.push(...found.map((fault) => `${method} ${pathname} responds with ${status}: ${fault}`))
    }
  }
  return response
}

afterEach(() => {
  expect(faults.splice(0)).toEqual([])
})
