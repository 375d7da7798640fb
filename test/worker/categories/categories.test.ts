import { describe, expect, test } from 'vitest'
import { createWorld, expectInvalid, type Json, type Person, recordTransaction } from '../fixtures/world.ts'
import { createHousehold } from '../laws/every-route.ts'

const taken = { name: ['The name has already been taken.'] }
const create = async (person: Person, name: string, type = 'expense'): Promise<Json> => {
  const { status, body } = await person.post('/api/categories', { name, type })
  if (status !== 201) throw new Error(`Creating the category ${name} responded with ${status}`)
  return body
}

describe('creating a category', () => {
  test.each(['income', 'expense'])('responds with 201 with the category of type %s', async (type) => {
    const person = await createWorld().register()
    const { status, body } = await person.post('/api/categories', { name: ' Pets ', type })
    expect(status).toBe(201)
    expect(body).toEqual({ id: expect.any(Number), user_id: person.id, name: 'Pets', type, version: 1 })
    const shown = await person.get(`/api/categories/${body.id}`)
    expect(shown.status).toBe(200)
    expect(shown.body).toEqual(body)
    expect((await person.get('/api/categories')).body).toContainEqual(body)
  })

  test('names every missing field at once', async () => {
    const person = await createWorld().register()
    expectInvalid(await person.post('/api/categories', { name: ' ' }), {
      name: ['The name field is required.'],
      type: ['The type field is required.'],
    })
  })

  test('refuses other types and names of more than 255 code points', async () => {
    const person = await createWorld().register()
    expectInvalid(await person.post('/api/categories', { name: '🐈'.repeat(256), type: 'transfer' }), {
      name: ['The name field must not be greater than 255 characters.'],
      type: ['The selected type is invalid.'],
    })
    expect((await create(person, '🐈'.repeat(255))).name).toBe('🐈'.repeat(255))
  })

  test.each([
    ['Pets', 'Pets'],
    ['Pets', 'pETS'],
    ['Pets', '  Pets  '],
    ['Épargne', 'épargne'],
    ['Ödlandschaft', 'ÖDLANDSCHAFT'],
    ['налоги', 'НАЛОГИ'],
    ['ΛΌΓΟΣ', 'λόγοσ'],
    ['λόγος', 'λόγοσ'],
  ])('refuses, after %j, %j of the same type', async (first, second) => {
    const person = await createWorld().register()
    await create(person, first)
    expectInvalid(await person.post('/api/categories', { name: second, type: 'expense' }), taken)
    expect((await person.post('/api/categories', { name: second, type: 'income' })).status).toBe(201)
  })

  test('lets two people have the same pair', async () => {
    const world = createWorld()
    await create(await world.register(), 'Pets')
    expect((await create(await world.register(), 'Pets')).name).toBe('Pets')
  })
})

describe('changing a category', () => {
  test.each(['PUT', 'PATCH'])('changes name and type with %s, of a default too', async (method) => {
    const world = createWorld()
    const person = await world.register()
    const [category] = (await person.get('/api/categories')).body
    const response = await world.call(method, `/api/categories/${category.id}`, {
      token: person.token,
      body: { name: 'Windfalls', type: 'income' },
    })
    expect(response.status).toBe(200)
    expect(response.body).toMatchObject({ id: category.id, name: 'Windfalls', type: 'income' })
    expect((await person.get(`/api/categories/${category.id}`)).body).toEqual(response.body)
  })

  test.each([[{ name: 'Cats' }], [{ type: 'income' }], [{}]])(
    'leaves what is not in %j as it was',
    async (fields) => {
      const person = await createWorld().register()
      const { id } = await create(person, 'Pets')
      const { status, body } = await person.put(`/api/categories/${id}`, fields)
      expect(status).toBe(200)
      expect(body).toMatchObject({ id, name: 'Pets', type: 'expense', ...fields, version: 2 })
    },
  )

  test('never collides with itself', async () => {
    const person = await createWorld().register()
    const { id } = await create(person, 'Pets')
    const same = await person.put(`/api/categories/${id}`, { name: 'Pets', type: 'expense' })
    expect(same.status).toBe(200)
    const otherCase = await person.put(`/api/categories/${id}`, { name: 'PETS' })
    expect([otherCase.status, otherCase.body.name]).toEqual([200, 'PETS'])
  })

  test('checks the pair that results, not the fields that are sent', async () => {
    const person = await createWorld().register()
    const cats = await create(person, 'Cats')
    await create(person, 'Dogs')
    const income = await create(person, 'Dogs', 'income')
    const path = (category: Json) => `/api/categories/${category.id}`
    expectInvalid(await person.put(path(cats), { name: ' dogs ' }), taken)
    expectInvalid(await person.put(path(income), { type: 'expense' }), taken)
    expectInvalid(await person.put(path(cats), { name: 'Dogs', type: 'income' }), taken)
    expect((await person.put(path(income), { name: 'Cats' })).status).toBe(200)
    expectInvalid(await person.put(path(cats), { type: 'income' }), taken)
    expect((await person.get(path(cats))).body).toEqual(cats)
  })
})

describe('deleting a category', () => {
  test('responds with 204 with an empty body, for a default too, and the category is gone', async () => {
    const person = await createWorld().register()
    const [category, ...others] = (await person.get('/api/categories')).body
    const response = await person.delete(`/api/categories/${category.id}`)
    expect([response.status, response.text]).toEqual([204, ''])
    const gone = await person.get(`/api/categories/${category.id}`)
    expect([gone.status, gone.body]).toEqual([404, { message: 'Category not found.' }])
    expect((await person.get('/api/categories')).body).toEqual(others)
  })

  test('keeps its transactions, without a category', async () => {
    const { person, category, expense } = await createHousehold(createWorld())
    const { id } = await recordTransaction(person, expense())
    await person.delete(`/api/categories/${category.id}`)
    const { body } = await person.get(`/api/transactions/${id}`)
    expect(body).toMatchObject({ id, category_id: null, category: null, amount: '12.50' })
  })

  test('lets everything be deleted, and created again', async () => {
    const person = await createWorld().register()
    for (const { id } of (await person.get('/api/categories')).body) {
      expect((await person.delete(`/api/categories/${id}`)).status).toBe(204)
    }
    expect((await person.get('/api/categories')).body).toEqual([])
    expect((await create(person, 'Pets')).name).toBe('Pets')
  })
})
