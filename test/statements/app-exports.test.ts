import { expect, test } from 'vitest'
import { encode, errorsOf, fileOf, readGeneric } from './corpus.ts'

const gnuCash = fileOf('generic-csv/gnucash.csv')

test('a journal in another language, or in several currencies, is refused', () => {
  const errorsIn = (text: string) => errorsOf(() => readGeneric(encode(text), {}))
  expect(errorsIn(gnuCash.replaceAll('Assets:', 'Aktiva:').replaceAll('Liabilities:', 'Passiva:'))).toEqual({
    file: ['No account of the file begins with Assets: or Liabilities:.'],
  })
  expect(errorsIn(gnuCash.replace('CURRENCY::CAD', 'CURRENCY::USD'))).toEqual({
    file: ['The file has several currencies: CURRENCY::USD, CURRENCY::CAD.'],
  })
})

const mint = (rows: string[]) =>
  readGeneric(
    encode(
      `"Date","Description","Original Description","Amount","Transaction Type","Category","Account Name","Labels","Notes"\n${rows.join('\n')}\n`,
    ),
    {},
  )

test('halves of a transfer on two days become one transfer, whose inflow keeps its day', () => {
  const { rows, halves } = mint([
    '"6/26/2026","To savings","OUT","80.00","debit","Transfer","Checking","",""',
    '"6/30/2026","From checking","IN","80.00","credit","Transfer","Savings","",""',
    '"6/15/2026","To broker","OUT","75.00","debit","Transfer","Checking","",""',
  ])
  expect(rows).toMatchObject([
    {
      type: 'transfer',
      date: '2026-06-26',
      to_date: '2026-06-30',
      account: 'Checking',
      to_account: 'Savings',
    },
    { type: 'expense', date: '2026-06-15', account: 'Checking' },
  ])
  expect(halves).toBe(1)
})

test('sources and destinations without their types are refused', () => {
  const text =
    'type,amount,description,date,source_name,destination_name\nDeposit,20.00,pay,2026-10-24,ACME,Bank\n'
  expect(errorsOf(() => readGeneric(encode(text), {}))).toEqual({
    file: [
      'The file names sources and destinations, but not which of them are your accounts: export it with the columns source_type and destination_type.',
    ],
  })
})
