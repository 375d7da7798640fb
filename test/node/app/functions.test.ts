import { createClient, localLedger, memoryStorage } from 'purse-client'
import { expect, onTestFinished, test, vi } from 'vitest'
import { typedAmount } from '../../../examples/app/src/amounts.ts'
import { answerIn, askedIn, inPlainWords } from '../../../examples/app/src/import-words.ts'
import { lookOf } from '../../../examples/app/src/looks.ts'
import { mayReload } from '../../../examples/app/src/missing-file.ts'
import { find } from '../../../examples/app/src/search.ts'
import { keptRead, observable } from '../../../examples/app/src/store.ts'
import { defaultCategories } from '../../../src/categories/defaults.ts'
import type { FileQuestion } from '../../../src/domain/file-questions.ts'
import { allCases } from '../../statements/judge/cases.ts'
import { readFile } from '../../statements/judge/reader.ts'

// The modules of the app read it as they are loaded.
vi.hoisted(() => vi.stubGlobal('localStorage', { getItem: () => null }))

test('what a page reads of a ledger is kept until the ledger changes or something else is read', () => {
  const ledger = observable(1)
  const asked: number[] = []
  const timesLedger = keptRead((followed: typeof ledger, factor: number) => {
    asked.push(factor)
    return followed.get() * factor
  })
  expect([timesLedger(ledger, 3), timesLedger(ledger, 3), asked]).toEqual([3, 3, [3]])
  expect([timesLedger(ledger, 4), timesLedger(ledger, 4), asked]).toEqual([4, 4, [3, 4]])
  ledger.set(2)
  expect([timesLedger(ledger, 4), timesLedger(ledger, 4), asked]).toEqual([8, 8, [3, 4, 4]])
})

test('of failures that take turns, each loads the app again once', () => {
  const stored = new Map<string, string>()
  const storage = {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
  }
  const failures = ['reports.js', 'chart.css', 'reports.js', 'chart.css', 'reports.js']
  expect(failures.map((failure) => mayReload(failure, storage))).toEqual([true, true, false, false, false])
})

test('amounts are read as people write them, and 4.234 is one with two readings', () => {
  for (const [typed, amount, isCertain] of [
    ['1,234.56', '1234.56', true],
    ['2.234,56', '2234.56', true],
    ['3 234,56', '3234.56', true],
    ['1.5', '1.50', true],
    ['-20', '-20.00', true],
    ['1,234', '1234.00', true],
    ['4.234', '4234.00', false],
    ['0,001', '0.001', true],
    ['1.234.56', '1.234.56', true],
  ] as const)
    expect([typed, typedAmount(typed)]).toEqual([typed, { amount, isCertain }])
})

test('a search takes amounts and ranges, alone and with words, categories and accounts', async () => {
  const client = createClient({ baseUrl: 'http://purse.test', fetch: () => Promise.reject(new TypeError()) })
  const ledger = await localLedger({ client, storage: memoryStorage(), userId: 1 })
  onTestFinished(() => ledger.close())
  const account = { name: 'Checking', type: 'bank', starting_balance: '0' } as const
  const account_id = await ledger.create('account', account)
  const category_id = await ledger.create('category', { name: 'Groceries', type: 'expense' })
  const way = { account_id, category_id, type: 'expense', transaction_date: '2026-11-20' } as const
  const [dentist, crown, lunch, ticket] = ['Dentist', 'Dentist, crown', 'Lunch', 'Ticket 2026-11']
  for (const [description, amount] of [
    [dentist, '100.00'],
    [crown, '1112.50'],
    [lunch, '12.50'],
    [ticket, '20.00'],
  ] as const)
    await ledger.create('transaction', { ...way, description, amount })
  for (const [q, expected] of [
    ['> 100', [crown]],
    ['>=100', [crown, dentist]],
    ['<= 12,50', [lunch]],
    ['< 12.50', []],
    ['12.50', [lunch]],
    ['1,112.5', [crown]],
    ['12.50 - 20', [ticket, lunch]],
    ['100..1,200', [crown, dentist]],
    ['dent > 100', [crown]],
    ['> 12.50 < 100', [ticket]],
    ['2026-11', [ticket]],
    ['> much', []],
    ['groc lunch', [lunch]],
    ['checking tick', [ticket]],
  ] as const) {
    const found = find(ledger, { q }, 1).rows.map(({ description }) => description)
    expect([q, found.sort()]).toEqual([q, expected.toSorted()])
  }
})

test('each default category has an icon of its own, and a colour of its own among those of its kind', () => {
  const looks = defaultCategories.map(({ name, type }) => ({ type, ...lookOf({ key: name, name }) }))
  expect(new Set(looks.map(({ icon }) => icon)).size).toBe(looks.length)
  expect(new Set(looks.map(({ type, hue }) => `${type} ${hue}`)).size).toBe(looks.length)
})

test('no question or problem of a file of the corpus names what a script would send', () => {
  const { cases, oddities, older } = allCases()
  const shown = [...cases, ...oddities, ...older].flatMap(({ name, bytes, kind }) => {
    const { questions, problems } = readFile(bytes, { kind })
    const texts = [...questions.flatMap(textsOf), ...problems.map(({ text }) => inPlainWords(text))]
    return texts.map((text) => ({ name, text }))
  })
  for (const text of [
    'What stands before the cents?',
    'Do the amounts contain the fees?',
    'Which account of the file is this?',
    'Which column has the amount?',
    /^Is this .*\d or .*\d\?$/,
    /^Were the amounts marked “.*” spent, or did they come in\?$/,
    /^Did the rows marked “.*” move money\?$/,
    /needs a date column/,
  ])
    expect(shown.map((one) => one.text)).toContainEqual(expect.stringMatching(text))
  expect(shown.filter(({ text }) => /mapping|\w_\w|\w=|\bSend\b|\bsigns\b(?! of|,)/.test(text))).toEqual([])
})

/** A question and its answers as the app shows them. */
function textsOf({ dependsOn, ...question }: FileQuestion): string[] {
  const options = question.options.map(({ value, label, example }) => ({
    ...{ value, label },
    example: example.map(({ line, date, amount, ...row }) => ({
      ...{ ...row, row: line, transaction_date: date, amount: String(amount) },
    })),
  }))
  const shown = { ...question, depends_on: dependsOn, options }
  return [askedIn(shown), ...options.map((option) => answerIn(shown, option))]
}
