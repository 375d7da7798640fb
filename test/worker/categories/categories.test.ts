import { describe, expect, test } from 'vitest'
import { createWorld, expectInvalid, type Json, type Person, recordTransaction } from '../fixtures/world.ts'
import { createHousehold } from '../laws/every-route.ts'

const world = createWorld()
const taken = { name: ['The name has already been taken.'] }
const create = async (person: Person, name: string, type = 'expense'): Promise<Json> => {
  const { status, body } = await person.post('/api/categories', { name, type })
  if (status !== 201) throw new Error(`Creating the category ${name} responded with ${status}`)
  return body
}

describe('creating a category', () => {
  test.each(['income', 'expense'])('responds with 201 with the category of type %s', async (type) => {
    const person = await world.register()
    const { status, body } = await person.post('/api/categories', { name: ' Pets ', type })
    const category = { id: expect.any(Number), user_id: person.id, name: 'Pets', type, version: 1 }
    expect([status, body]).toEqual([201, category])
    const shown = await person.get(`/api/categories/${body.id}`)
    expect([shown.status, shown.body]).toEqual([200, body])
    expect((await person.get('/api/categories')).body).toContainEqual(body)
  })

  test('names every missing field at once', async () => {
    const person = await world.register()
    expectInvalid(await person.post('/api/categories', { name: ' ' }), {
      name: ['The name field is required.'],
      type: ['The type field is required.'],
    })
  })

  test('refuses other types and names of more than 255 code points', async () => {
    const person = await world.register()
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
    const person = await world.register()
    await create(person, first)
    expectInvalid(await person.post('/api/categories', { name: second, type: 'expense' }), taken)
    expect((await person.post('/api/categories', { name: second, type: 'income' })).status).toBe(201)
  })

  test('lets two people have the same pair', async () => {
    for (const person of [await world.register(), await world.register()])
      expect((await create(person, 'Pets')).name).toBe('Pets')
  })
})

describe('changing a category', () => {
  test.each(['put', 'patch'] as const)('changes name and type with %s, of a default too', async (verb) => {
    const person = await world.register()
    const [category] = (await person.get('/api/categories')).body
    const path = `/api/categories/${category.id}`
    const changed = { id: category.id, name: 'Windfalls', type: 'income' }
    const { status, body } = await person[verb](path, { name: 'Windfalls', type: 'income' })
    expect([status, body]).toMatchObject([200, changed])
    expect((await person.get(path)).body).toEqual(body)
  })

  test.each([[{ name: 'Cats' }], [{ type: 'income' }], [{}]])(
    'leaves what is not in %j as it was',
    async (fields) => {
      const person = await world.register()
      const pets = await create(person, 'Pets')
      const { status, body } = await person.put(`/api/categories/${pets.id}`, fields)
      expect([status, body]).toEqual([200, { ...pets, ...fields, version: 2 }])
    },
  )

  test('never collides with itself', async () => {
    const person = await world.register()
    const { id } = await create(person, 'Pets')
    for (const name of ['Pets', 'PETS']) {
      const { status, body } = await person.put(`/api/categories/${id}`, { name, type: 'expense' })
      expect([status, body.name]).toEqual([200, name])
    }
  })

  test('checks the pair that results, not the fields that are sent', async () => {
    const person = await world.register()
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
    const person = await world.register()
    const [category, ...others] = (await person.get('/api/categories')).body
    const response = await person.delete(`/api/categories/${category.id}`)
    expect([response.status, response.text]).toEqual([204, ''])
    const gone = await person.get(`/api/categories/${category.id}`)
    expect([gone.status, gone.body]).toEqual([404, { message: 'Category not found.' }])
    expect((await person.get('/api/categories')).body).toEqual(others)
  })

  test('keeps its transactions, without a category', async () => {
    const { person, category, expense } = await createHousehold(world)
    const { id } = await recordTransaction(person, expense())
    await person.delete(`/api/categories/${category.id}`)
    const { body } = await person.get(`/api/transactions/${id}`)
    expect(body).toMatchObject({ id, category_id: null, category: null, amount: '12.50' })
  })

  test('lets everything be deleted, and created again', async () => {
    const person = await world.register()
    for (const { id } of (await person.get('/api/categories')).body) {
      expect((await person.delete(`/api/categories/${id}`)).status).toBe(204)
    }
    expect((await person.get('/api/categories')).body).toEqual([])
    expect((await create(person, 'Pets')).name).toBe('Pets')
  })
})
