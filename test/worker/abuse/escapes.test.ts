import { isUtf8 } from 'node:buffer'
import { expect, test, vi } from 'vitest'
import { withValidEscapes } from '../../../src/http/escapes.ts'
import { createWorld, recordTransaction } from '../fixtures/world.ts'
import { createHousehold } from '../laws/every-route.ts'

const escaped = (url: string) => withValidEscapes(new Request(`https://purse.test${url}`)).url.slice(18)

test('a URL keeps its escapes if they are UTF-8, and other ones are escaped', () => {
  for (const url of ['/api/me', '/api/a%2Fb?q=%C3%A9%20%F0%9F%90%9F%00&x=50%25', '/?q=%e2%82%ac'])
    expect(escaped(url)).toBe(url)
  expect(escaped('/api/%FFa?q=%C3%A9&r=50%&s=%C3x%a9&t=%zz')).toBe(
    '/api/%25FFa?q=%C3%A9&r=50%25&s=%25C3x%25a9&t=%25zz',
  )
  expect(escaped('/?q=%ED%A0%80%F5%80%80%80')).toBe('/?q=%25ED%25A0%2580%25F5%2580%2580%2580')
})

test('every run of escapes at the edges of UTF-8 is judged as Node does', () => {
  const edges = '00 41 7f 80 8f 90 9f a0 bf c0 c1 c2 df e0 e1 ec ed ee ef f0 f1 f3 f4 f5 ff'.split(' ')
  const tails = ['80', '8f', '90', '9f', 'a0', 'bf', 'c2']
  const runs = edges.flatMap((first) =>
    edges.flatMap((second) => [
      [first, second],
      ...tails.flatMap((third) => [
        [first, second, third],
        ...tails.map((last) => [first, second, third, last]),
      ]),
    ]),
  )
  const url = (run: string[], mark: string) => `/?q=${run.map((byte) => mark + byte).join('')}`
  for (const run of runs)
    expect(escaped(url(run, '%'))).toBe(url(run, isUtf8(Buffer.from(run.join(''), 'hex')) ? '%' : '%25'))
})

test('a URL full of escapes makes no buffers, which took five times as long as everything else', () => {
  const made = vi.spyOn(Buffer, 'from')
  for (const run of ['%20', '%C3%A9', '%C3', '%']) escaped(`/?q=${`a${run}`.repeat(1_000)}`)
  expect(made).not.toHaveBeenCalled()
  made.mockRestore()
})

test('what is not an escape is read as it was written', async () => {
  const { person, expense } = await createHousehold(createWorld())
  await recordTransaction(person, { ...expense(), description: '50% é %FF' })
  for (const q of ['50%', '50% %C3%A9', '50%25+%C3%A9+%FF', '%FF', '%ff'])
    expect([q, (await person.get(`/api/transactions?q=${q}`)).body.total]).toEqual([q, 1])
  for (const path of ['%FF', '%', '1%', '%C3', '%2531'])
    expect([path, (await person.get(`/api/accounts/${path}`)).status]).toEqual([path, 404])
})

test('a body is read although its URL is malformed', async () => {
  const { person } = await createHousehold(createWorld())
  expect(
    (await person.post('/api/accounts?x=%FF', { name: 'Purse', type: 'cash', starting_balance: 0 })).status,
  ).toBe(201)
})
