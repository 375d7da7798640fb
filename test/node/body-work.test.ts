import { describe, expect, test } from 'vitest'
import type * as z from 'zod/mini'
import { app } from '../../src/app.ts'
import { fieldsOfNoun } from '../../src/changes/fields-contract.ts'
import { maxOperations, upload } from '../../src/changes/operations-contract.ts'
import { readUpload } from '../../src/changes/push/input.ts'
import { Invalid } from '../../src/failures/failures.ts'
import { maxAnonymousBytes } from '../../src/http/request-body.ts'
import { type Check, checkByHandler, toDraft } from '../../src/http/validate.ts'
import { importOptions } from '../../src/imports/contract.ts'
import { readImportRows } from '../../src/imports/rows-input.ts'
import { maxBatchItems, newBatch } from '../../src/sync/contract.ts'
import { newTransaction } from '../../src/transactions/contract.ts'
import { readItems } from '../../src/transactions/items.ts'

// A small body is read before its token is known to be valid, so reading it must not cost much more than parsing it.

/** The dearest takes 10 to 20, which depends on the processor; what is quadratic takes hundreds. */
const maxTimes = 30
/** A clock in milliseconds, for how long a call is repeated, and how often between two looks at the clock. */
type Timing = { clock: () => number; forMs: number; calls: number }
/** Most bodies are so far below the bound that a short look is enough; one above half of it is measured for longer. */
const firstLook: Timing = { clock: () => performance.now(), forMs: 0.5, calls: 1 }
/** The CPU time of this thread: other processes do not count, but many systems only count it every four milliseconds. */
const measured: Timing = {
  clock: () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1_000
  },
  forMs: 5,
  calls: 5,
}
const maxTries = 12

/** The milliseconds that a call takes. */
function costOf(call: () => unknown, { clock, forMs, calls }: Timing): number {
  call()
  const before = clock()
  let done = 0
  let spent = 0
  while (spent < forMs) {
    for (let again = 0; again < calls; again += 1) call()
    done += calls
    spent = clock() - before
  }
  return spent / done
}

/** Compilation and garbage collection count as well, so the lowest of several measurements is the truest. */
const lowest = (call: () => unknown, timing: Timing) =>
  Math.min(...Array.from({ length: 3 }, () => costOf(call, timing)))

type Read = (body: Record<string, unknown>) => unknown

/**
 * How many times longer a body takes to read and check than to parse. The two are measured one after the other, since
 * what memory costs may change from one second to the next on a busy machine. Parsing costs at least what it does for a
 * body of a few fields: checking that is lost in what any request costs.
 */
function timesParsing(body: string, read: Read, timing: Timing): number {
  const cost = costOf(() => read(JSON.parse(body)), timing)
  const parsing = Math.max(
    lowest(() => JSON.parse(twoKilobytes), timing),
    lowest(() => JSON.parse(body), timing),
  )
  return cost / parsing
}

function expectCheap(body: string, read: Read): void {
  if (timesParsing(body, read, firstLook) <= maxTimes / 2) return
  let times = Number.POSITIVE_INFINITY
  for (let tries = 0; times > maxTimes && tries < maxTries; tries += 1)
    times = Math.min(times, timesParsing(body, read, measured))
  expect(times, `times as long as parsing the ${body.length} bytes`).toBeLessThanOrEqual(maxTimes)
}

/** Writes a value as JSON, in about that many bytes. */
type Value = (bytes: number) => string

const text =
  (unit: string, before = '', after = ''): Value =>
  (bytes) =>
    JSON.stringify(before + unit.repeat(Math.max(1, bytes / JSON.stringify(unit).length)) + after)
const manyFields: Value = (bytes) => {
  const fields = Array.from({ length: bytes / 12 }, (_, nth) => `"field${nth}":0`)
  return `{${fields}}`
}
/** What a field may contain instead of what it should. */
const texts: Record<string, Value> = {
  'an empty text': () => '""',
  'a short text': () => '"x"',
  'a date': () => '"2026-11-20"',
  'a date that does not exist': () => '"2026-02-31"',
  'an address': () => '"mary@example.com"',
  'a time zone': () => '"Europe/London"',
  NUL: () => '"\\u0000"',
  'an unpaired surrogate': () => '"\\ud800"',
  'many letters': text('x'),
  'many digits': text('9'),
  'many decimals': text('0', '0.'),
  'many spaces': text(' ', 'x', 'x'),
  'many combining marks': text('\u0315\u0316', 'a'),
  'many emoji': text('😀'),
  'many labels of an address': text('a.', 'mary@'),
  'many quotes': text('\\"', '"'),
}
/** The others exist only in JSON. */
const values: Record<string, Value> = {
  ...texts,
  null: () => 'null',
  'an empty list': () => '[]',
  'an empty object': () => '{}',
  'a negative number': () => '-1',
  'a number with three decimals': () => '1.234',
  'a list in many lists': (bytes) => '['.repeat(bytes / 2) + ']'.repeat(bytes / 2),
  'a list of many objects': (bytes) => `[${Array(Math.ceil(bytes / 3)).fill('{}')}]`,
  'an object of many fields': manyFields,
}

/** An object with the same value in each field. */
function filled(schema: z.ZodMiniObject, value: Value, bytes: number): string {
  const names = Object.keys(schema.shape)
  return `{${names.map((name) => `"${name}":${value(bytes / names.length)}`)}}`
}

/** As many of one item as fit into a small body and a batch. */
function listOf(item: string, bytes = maxAnonymousBytes): string {
  const length = Math.min(maxBatchItems, Math.floor(bytes / (item.length + 1)))
  return `{"transactions":[${Array(length).fill(item)}]}`
}

const good =
  '{"account_id":1,"category_id":1,"type":"expense","amount":"12.50","transaction_date":"2026-11-20","force":false,"client_id":"phone","description":"Tea"}'
const twoKilobytes = listOf(good, 2_048)

const checks = app.routes
  .map(({ handler }) => checkByHandler.get(handler))
  .filter((check) => check !== undefined && ![newBatch, upload].includes(check.schema as never)) as Check[]
/** What requests are checked against, by its fields. An import takes its options from JSON as well. */
const schemas = new Map(
  checks.map(({ schema, target }) => [
    Object.keys(schema.shape).join(', '),
    { schema, values: target === 'json' || schema === importOptions ? values : texts },
  ]),
)

describe.each([...schemas])('checking %s costs little more than parsing:', (_, { schema, values }) => {
  test.each(Object.entries(values))('each is %s', (_, value) => {
    expectCheap(filled(schema, value, maxAnonymousBytes), (body) => toDraft(schema, body))
  })

  test('there are many others', () => {
    expectCheap(manyFields(maxAnonymousBytes), (body) => toDraft(schema, body))
  })
})

const items = {
  'is null': 'null',
  'is empty': '{}',
  'is good': good,
  'has one wrong field': '{"account_id":{}}',
  'has unknown fields': manyFields(60),
  ...Object.fromEntries(
    Object.entries(values).map(([name, value]) => [`is full of ${name}`, filled(newTransaction, value, 200)]),
  ),
}

describe.each([
  ['an offline batch', readItems],
  ['an import', (items: unknown[]) => readRows(items)],
])('reading %s costs little more than parsing it:', (_, read) => {
  test.each(Object.entries(items))('each item %s', (_, item) => {
    expectCheap(listOf(item), ({ transactions }) => read(transactions as unknown[]))
  })
})

describe.each(Object.entries(fieldsOfNoun))(
  'reading operations on the %s costs little more than parsing them:',
  (noun, { update }) => {
    const operations = {
      'is null': 'null',
      'is empty': '{}',
      'has unknown fields': manyFields(60),
      'sets what is no object': `{"op":"update","noun":"${noun}","id":1,"set":1,"was":[]}`,
      ...Object.fromEntries(
        Object.entries(values).map(([name, value]) => {
          const fields = filled(update, value, 100)
          const operation = `{"op":"update","noun":"${noun}","client_id":"x","set":${fields},"was":${fields}}`
          return [`is full of ${name}`, operation]
        }),
      ),
    }
    test.each(Object.entries(operations))('each %s', (_, operation) => {
      const length = Math.min(maxOperations, Math.floor(maxAnonymousBytes / (operation.length + 1)))
      expectCheap(`{"ops":[${Array(length).fill(operation)}]}`, readUpload)
    })
  },
)

function readRows(items: unknown[]): unknown {
  try {
    return readImportRows(items, 'generic', {})
  } catch (error) {
    if (error instanceof Invalid) return error
    throw error
  }
}
