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
