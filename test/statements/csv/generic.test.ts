import { describe, expect, test } from 'vitest'
import { encode, errorsOf, type FileOptions, fileOf, readGeneric } from '../corpus.ts'

const rows = (text: string, options: FileOptions = {}) => readGeneric(encode(text), options).rows
const errors = (text: string, options: FileOptions = {}) => errorsOf(() => rows(text, options))

describe('a generic CSV file', () => {
  test('needs a date and an amount', () => {
    expect(errors('date,description\n2026-01-01,x')).toHaveProperty('mapping')
    expect(errors('amount,description\n5,x')).toHaveProperty('mapping')
  })

  test('takes the sign for the type, or the type for the sign', () => {
    const types = (text: string) => rows(text).map(({ type, amount }) => [type, amount])
    expect(types('date,amount\n2026-01-01,-5\n2026-01-02,7\n')).toEqual([
      ['expense', 500],
      ['income', 700],
    ])
    expect(
      types(
        'date,amount,type\n2026-01-01,5,EXPENSE\n2026-01-02,-5,expense\n2026-01-03,7,Income\n2026-01-04,8,debit\n',
      ),
    ).toEqual([
      ['expense', 500],
      ['expense', 500],
      ['income', 700],
      ['expense', 800],
    ])
  })

  test('takes a second account for a transfer', () => {
    expect(rows('date,amount,account,to_account\n2026-01-01,5,A,B\n2026-01-02,-5,A,\n')).toMatchObject([
      { type: 'transfer', account: 'A', to_account: 'B' },
      { type: 'expense', account: 'A', to_account: null },
    ])
  })

  test('refuses a transfer that came in, since it leaves the account of its row', () => {
    const isCredit = { 'rows.3.type': ['The selected type is invalid: the row is a credit.'] }
    const head = 'date,debit,credit,type,account,to_account\n2026-01-01,5.00,,,A,B\n'
    for (const type of ['', 'transfer'])
      expect(errors(`${head}2026-01-02,,100.00,${type},A,B\n`)).toEqual(isCredit)
    expect(errors('date,credit,account,to_account\n2026-01-01,1.00,A,\n2026-01-02,5.00,A,B\n')).toEqual(
      isCredit,
    )
    const signed = 'date,amount,account,to_account\n2026-01-01,-100.00,A,B\n'
    expect(rows(signed)).toMatchObject([{ type: 'transfer', amount: 10_000, account: 'A', to_account: 'B' }])
    expect(errors(`${signed}2026-01-01,100.00,B,A\n`)).toEqual(isCredit)
  })

  test('reports each row that is wrong, by its line', () => {
    const text = [
      'date,amount,type,to_account',
      '2026-01-01,5.25,income,',
      '2026-01-02,0,income,',
      '2026-01-03,-5,income,',
      '2026-01-04,5,transfer,',
      '2026-01-05,5,expense,Savings',
      '2026-01-06,-5,,',
      '2026-02-30,1.005,income,',
    ].join('\n')
    expect(errors(`${text}\n`)).toEqual({
      'rows.3.amount': ['The amount field must be greater than 0.'],
      'rows.4.amount': ['The amount field must be greater than 0.'],
      'rows.5.to_account': ['The to account field is required.'],
      'rows.6.to_account': ['The to account field must be empty unless type is transfer.'],
      'rows.8.date': ['The date field must be a valid date.'],
      'rows.8.amount': ['The amount field must have 0-2 decimal places.'],
    })
  })

  test('is asked what an unknown type means, unless its amounts have signs', () => {
    const text = 'date,amount,type\n2026-01-01,5.25,gift\n2026-01-02,7.00,income\n2026-01-03,8.00,expense\n'
    expect(Object.keys(errors(text) ?? {})).toEqual(['marks'])
    expect(rows(text, { marks: { gift: 'in' } }).map(({ type }) => type)).toEqual([
      'income',
      'income',
      'expense',
    ])
    expect(rows(text, { marks: { gift: 'out' } })[0]?.type).toBe('expense')
    const signed = text.replace('8.00', '-8.00')
    expect(rows(signed).map(({ type }) => type)).toEqual(['income', 'income', 'expense'])
  })

  test('takes no row with a type for a balance, whatever it is called', () => {
    const text = (type: string) =>
      `date,amount,type,description\n2026-01-01,5.00,${type},Opening balance\n2026-01-02,7.00,${type},Saldo\n2026-01-03,8.00,expense,Bread\n`
    expect(rows(text('expense'))).toHaveLength(3)
    expect(Object.keys(errors(text('')) ?? {})).toContain('states')
  })

  test('makes one transfer of two halves', () => {
    const halves =
      'date,type,account,amount,category\n2026-01-01,Transfer-Out,Bank,100,Cash\n2026-01-01,Transfer-In,Cash,100,Bank\n2026-01-02,转入,Cash,5,Other\n'
    expect(rows(halves)).toMatchObject([
      { type: 'transfer', amount: 10_000, account: 'Bank', to_account: 'Cash', category: null },
      { type: 'income', amount: 500, account: 'Cash', to_account: null },
    ])
    const joined = { type: 'transfer', amount: 10_000, account: 'Bank', to_account: 'Cash', category: null }
    expect(
      rows('date,type,account,amount\n2026-01-01,transfer,Cash,100\n2026-01-01,transfer,Bank,-100\n'),
    ).toMatchObject([joined])
    expect(
      rows('date,category,account,amount\n2026-01-01,Transfer,Bank,-100\n2026-01-01,Transfer,Cash,100\n'),
    ).toMatchObject([joined])
  })

  test('has expenses of both signs only if the request says what they mean', () => {
    const text =
      'Day,Amount,Type\n2026-01-01,-5.00,expense\n2026-01-02,2.00,expense\n2026-01-03,7.00,income\n'
    const told = { mapping: { date: 'Day' } }
    expect(Object.keys(errors(text, told) ?? {})).toEqual(['signs'])
    expect(rows(text, { ...told, signs: 'as_written' }).map(({ type }) => type)).toEqual([
      'expense',
      'income',
      'income',
    ])
  })

  test('obeys the options that are documented, signs among them', () => {
    const text = 'Day,Amount,Account\n2026-01-01,5.00,A\n2026-01-02,-7.00,A\n'
    const told = { mapping: { date: 'Day' } }
    expect(Object.keys(errors(text, told) ?? {})).toEqual(['signs'])
    expect(rows(text, { ...told, signs: 'inverted' }).map(({ type }) => type)).toEqual(['expense', 'income'])
    const typed = 'date,amount,type\n2026-01-01,-5.00,expense\n2026-01-02,7.00,income\n'
    expect(Object.keys(errors(typed, { signs: 'inverted' }) ?? {})).toEqual(['rows.3.amount'])
  })

  test('is asked about dates and decimals that can be read in two ways', () => {
    const text = 'date,amount\n01/02/2026,"1,234"\n'
    expect(Object.keys(errors(text) ?? {}).sort()).toEqual(['date_format', 'decimal_separator', 'signs'])
    const answers = { date_format: 'DD/MM/YYYY', decimal_separator: '.', signs: 'as_written' } as const
    expect(rows(text, answers)).toMatchObject([{ date: '2026-02-01', amount: 123400 }])
  })

  test('is told from a bank statement', () => {
    expect(errors(fileOf('ofx/us-checking-sgml.ofx'))?.file).toEqual([
      'The file is a bank statement (OFX), not a CSV file; import it as one.',
    ])
  })
})
