import { expect, test } from 'vitest'
import { createWorld, type Json } from '../fixtures/world.ts'
import { createHousehold, type Household } from '../laws/every-route.ts'

type Noun = { path: string; row: (household: Household) => Promise<Json>; fields: Json; wrong: Json }

const nouns: Record<string, Noun> = {
  account: {
    path: '/api/accounts',
    row: async ({ cash }) => cash,
    fields: { name: 'Purse' },
    wrong: { name: '' },
  },
  category: {
    path: '/api/categories',
    row: async ({ category }) => category,
    fields: { name: 'Pets' },
    wrong: { name: '' },
  },
  transaction: {
    path: '/api/transactions',
    row: ({ spend }) => spend(),
    fields: { amount: '3.00' },
    wrong: { amount: '-3' },
  },
}
const each = Object.keys(nouns)

async function given(noun: string) {
  const { path, row, ...bodies } = nouns[noun] as Noun
  const household = await createHousehold(createWorld())
  const { world, person } = household
  const before = await row(household)
  const call = (method: string, ifMatch: string, body?: Json, token = person.token, id = before.id) =>
    world.call(method, `${path}/${id}`, { token, body, headers: { 'If-Match': ifMatch } })
  return { ...bodies, world, person, before, path: `${path}/${before.id}`, call }
}

test.each(each)('%s: a change of the version that was read succeeds, and raises it', async (noun) => {
  const { call, fields, before } = await given(noun)
  for (const [method, version] of [
    ['PUT', 1],
    ['PATCH', 2],
  ] as const) {
    const { status, body } = await call(method, `"${version}"`, fields)
    expect([status, body.version]).toEqual([200, version + 1])
  }
  expect(before.version).toBe(1)
  expect((await call('DELETE', '"3"')).status).toBe(204)
})

test.each(each)('%s: a change of another version is a 412 with the row as it is', async (noun) => {
  const { call, fields, wrong, person, path } = await given(noun)
  const current = (await person.put(path, fields)).body
  const refusal = { message: `The ${noun} has changed.`, code: 'version_conflict', current }
  const shown = (await person.get(path)).body
  for (const [method, body] of [
    ['PUT', fields],
    ['PATCH', {}],
    ['DELETE', undefined],
    ['PUT', wrong],
  ] as const) {
    const response = await call(method, '"1"', body)
    expect([response.status, response.body]).toEqual([412, refusal])
  }
  expect((await person.get(path)).body).toEqual(shown)
})

test.each(each)('%s: of changes of one version at once, exactly one succeeds', async (noun) => {
  const { call, fields, person, path } = await given(noun)
  const names = Array.from({ length: 8 }, (_, nth) => ({
    ...fields,
    ...('name' in fields && { name: `P${nth}` }),
  }))
  const responses = await Promise.all(names.map((body) => call('PUT', '"1"', body)))
  expect(responses.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412, 412, 412, 412, 412])
  const winner = responses.find(({ status }) => status === 200)?.body
  for (const { status, body } of responses) if (status === 412) expect(body.current).toEqual(winner)
  expect((await person.get(path)).body).toMatchObject(winner)
})

test.each(each)(
  '%s: a condition hides neither an absent row, nor another user’s, nor a bad token',
  async (noun) => {
    const { call, fields, wrong, world, before } = await given(noun)
    const stranger = await world.register()
    for (const tag of ['"1"', '"9"', '*', 'W/"1"']) {
      for (const [method, body] of [
        ['PUT', fields],
        ['PUT', wrong],
        ['DELETE', undefined],
      ] as const) {
        expect((await call(method, tag, body, stranger.token)).status).toBe(403)
        expect((await call(method, tag, body, undefined, 999_999)).status).toBe(404)
        expect((await call(method, tag, body, `${stranger.token}x`)).status).toBe(401)
      }
    }
    expect((await call('DELETE', `"${before.version}"`)).status).toBe(204)
    expect((await call('PUT', `"${before.version}"`, fields)).status).toBe(404)
  },
)

test.each([
  ['*', true],
  [' * ', true],
  ['"1"', true],
  ['1', true],
  ['"7", "1"', true],
  ['"7","1" ,"8"', true],
  ['W/"7", "1"', true],
  ['"2"', false],
  ['W/"1"', false],
  ['W/1', false],
  ['"11"', false],
  ['"01"', false],
  ['"1.0"', false],
  ['"a,1,b"', false],
  ['",1,"', false],
  ['"1', false],
  ['', false],
  ['"', false],
  ['"99999999999999999999999"', false],
  [`"${'1,'.repeat(3_000)}"`, false],
  [Array.from({ length: 2_000 }, (_, nth) => `"${nth + 2}"`).join(), false],
])('If-Match: %s names the first version: %s', async (tag, isMatch) => {
  const { call, fields } = await given('transaction')
  expect((await call('PUT', tag, fields)).status).toBe(isMatch ? 200 : 412)
})

test('what a rule refuses is a 422, whichever of two versions is named', async () => {
  const { call, wrong } = await given('account')
  const response = await call('PUT', '"1", "2"', wrong)
  expect([response.status, Object.keys(response.body.errors)]).toEqual([422, ['name']])
})

test('the balance of an account follows its transactions without a new version', async () => {
  const household = await createHousehold(createWorld())
  const { person, checking, spend } = household
  await spend()
  const { body } = await person.get(`/api/accounts/${checking.id}`)
  expect([body.balance, body.version]).toEqual([87.5, 1])
})

test.each(each)('%s: a write for a row that does not exist is a 412, since the row does', async (noun) => {
  const { world, person, fields, before, path } = await given(noun)
  const send = (method: string, headers: Record<string, string>, body?: Json) =>
    world.call(method, path, { token: person.token, body, headers })
  const conditions: Record<string, string>[] = [
    { 'If-None-Match': '*' },
    { 'If-None-Match': ' * ', 'If-Match': '*' },
  ]
  for (const headers of conditions)
    for (const [method, body] of [['PUT', fields], ['PATCH', fields], ['DELETE']] as const) {
      const { status, body: response } = await send(method, headers, body)
      expect([method, status, response.current.version]).toEqual([method, 412, before.version])
    }
  expect((await send('PUT', { 'If-None-Match': '"7"' }, fields)).status).toBe(200)
})
