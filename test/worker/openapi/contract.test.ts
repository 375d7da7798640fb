import { describe, expect, test } from 'vitest'
import { app } from '../../../src/app.ts'
import { openApiDocument } from '../../../src/document.ts'
import { contractChecker, type Exchange, resolveResponse } from '../../contract.ts'
import { createWorld, type Json, newPassword } from '../fixtures/world.ts'
import { createHousehold, everyRoute } from '../laws/every-route.ts'

const document = openApiDocument(app.routes)
const faultsOf = contractChecker(document)

const category = { id: 1, user_id: 1, name: 'Groceries', type: 'expense', version: 1 }
const exchange = (differences: Partial<Exchange> & { body?: unknown }): Exchange => ({
  method: 'GET',
  path: '/api/categories/1',
  status: 200,
  headers: new Headers({ 'Content-Type': 'application/json', 'X-Request-Id': 'x', 'Server-Timing': 'total' }),
  text: JSON.stringify(differences.body ?? category),
  ...differences,
})

const headersWith = (more: Record<string, string>) =>
  new Headers({ ...Object.fromEntries(exchange({}).headers), ...more })

test('every route of the API is described, and nothing else is', () => {
  const described = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
  )
  expect(described.sort()).toEqual([...everyRoute].sort())
})

test('the document cannot be made of a route without a description, nor of a description without a route', () => {
  const routes = [...app.routes, { basePath: '/', method: 'GET', path: '/api/new', handler: () => undefined }]
  expect(() => openApiDocument(routes as Json)).toThrow('GET /api/new is not described')
  const without = app.routes.filter(({ path }) => path !== '/api/summary')
  expect(() => openApiDocument(without)).toThrow('GET /api/summary is described, but is not a route')
})

describe('the check that every test makes of every response', () => {
  test('passes a valid response', () => {
    expect(faultsOf(exchange({}))).toEqual([])
    expect(faultsOf(exchange({ path: '/api/categories', body: [category, category] }))).toEqual([])
    expect(faultsOf(exchange({ method: 'HEAD', text: '' }))).toEqual([])
  })

  test.each<[string, Partial<Exchange> & { body?: unknown }]>([
    ['a status that is not described', { status: 418 }],
    ['a field that is not described', { body: { ...category, colour: 'red' } }],
    [
      'a field that is not described, inside a list',
      { path: '/api/categories', body: [{ ...category, x: 1 }] },
    ],
    ['a field that is missing', { body: { id: 1, user_id: 1, name: 'Groceries' } }],
    ['a field of another type', { body: { ...category, id: '1' } }],
    ['a word that is not among the described ones', { body: { ...category, type: 'transfer' } }],
    ['a body where none is described', { method: 'DELETE', status: 204 }],
    ['another content type', { headers: new Headers({ 'Content-Type': 'text/html', 'X-Request-Id': 'x' }) }],
    ['a header that is missing', { headers: new Headers({ 'Content-Type': 'application/json' }) }],
    ['a header that is not described', { headers: headersWith({ 'Set-Cookie': 'a=b' }) }],
    ['a limit where none is described', { headers: headersWith({ 'X-RateLimit-Limit': '6' }) }],
    [
      'a header of another type',
      {
        status: 503,
        headers: headersWith({ 'Retry-After': 'soon' }),
        body: { message: 'Service Unavailable' },
      },
    ],
    ['an unknown path whose response has no message', { path: '/api/nothing', status: 404 }],
    ['a route that is not described', { path: '/api/nothing' }],
    ['a method that is not described', { method: 'POST' }],
  ])('finds %s', (_, differences) => {
    expect(faultsOf(exchange(differences))).not.toEqual([])
  })
})

const marysPassword = 'correct horse battery staple'

/** The parameters of a path refer to what the household has. */
const withIds = (path: string) => path.replace('{date}', '2026-12-31').replace(/\{\w+\}/g, '1')

/** The operations with an example of a body, and each of these by its type. */
const examples = Object.entries(document.paths).flatMap(([path, operations]) =>
  Object.entries(operations).flatMap(([method, operation]) =>
    Object.entries<Json>((operation as Json).requestBody?.content ?? {}).flatMap(([type, { example }]) =>
      example === undefined
        ? []
        : [[operation.operationId, type, { method, path, operation, example }] as const],
    ),
  ),
)
const onOwnUser = ['deleteProfile', 'updatePassword', 'patchPassword', 'updateEmail', 'patchEmail']

// The reset needs the token from an email, which is different each time.
test.each(examples.filter(([id]) => id !== 'resetPassword'))(
  'the example of a body of %s (%s) works as it stands',
  async (id, type, { method, path, operation, example }) => {
    const world = createWorld()
    const { person, expense, spend, checkBalance } = await createHousehold(world)
    await spend()
    await spend()
    await checkBalance()
    const { transaction_date: _, ...template } = expense()
    const rule = { ...template, starts_on: '2026-12-31', rrule: 'FREQ=MONTHLY' }
    await person.post('/api/recurring', rule)
    if (id === 'separateMatch') await person.post('/api/matches/join', { kind: 'duplicate', ids: [1, 2] })
    const mary = { name: 'Mary Somerville', email: 'mary@example.com' }
    const user =
      id === 'register' ? undefined : await world.register({ ...mary, ...newPassword(marysPassword) })
    const token = onOwnUser.includes(id) ? user?.token : person.token
    const query = type === 'text/csv' ? '?account_id=1' : ''
    const response = await world.call(method.toUpperCase(), withIds(path) + query, {
      ...(token && { token }),
      rawBody: type === 'application/json' ? JSON.stringify(example) : example,
      headers: { 'Content-Type': type },
    })
    const good = Object.keys(operation.responses).findLast((status) => status.startsWith('2'))
    expect([response.status, response.text]).toEqual([Number(good), expect.anything()])
  },
)

test.each([
  ['NewAccount', 'Account', []],
  ['NewCategory', 'Category', []],
  ['NewTransaction', 'Transaction', ['client_id', 'force']],
  ['ProfileChanges', 'User', []],
])('whatever %s takes is shown by %s, except %j', (input, output, exceptions) => {
  const fieldsOf = (name: string) => Object.keys((document.components.schemas[name] as Json).properties)
  const shown = fieldsOf(output)
  expect(fieldsOf(input).filter((field) => !shown.includes(field))).toEqual(exceptions)
})

test('every example of a response fits its own schema', () => {
  const checked = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { responses }]) =>
      Object.entries(responses).flatMap(([status, response]) => {
        const { content = {}, headers } = resolveResponse(document, response)
        return Object.entries(content).flatMap(([type, { schema, example }]) => {
          const name = /[^/]*$/.exec(String(schema.$ref ?? ''))?.[0] ?? ''
          const shown = example ?? (document.components.schemas[name]?.examples as unknown[] | undefined)?.[0]
          if (shown === undefined || !type.includes('json')) return []
          const faults = faultsOf({
            method: method.toUpperCase(),
            path: withIds(path),
            status: Number(status),
            headers: new Headers({
              'Content-Type': type,
              ...Object.fromEntries(Object.keys(headers).map((header) => [header, '1'])),
            }),
            text: JSON.stringify(shown),
          })
          return [[`${method} ${path} ${status}`, faults] as const]
        })
      }),
    ),
  )
  expect(checked.length).toBeGreaterThan(everyRoute.length)
  expect(checked.filter(([, faults]) => faults.length > 0)).toEqual([])
})
