import { expect, test } from 'vitest'
import { errorsOf, read } from './corpus.ts'

const file = (amounts: string[], balance: string) =>
  `OFXHEADER:100\n\n<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>USD<BANKTRANLIST>${amounts
    .map((amount) => `<STMTTRN><DTPOSTED>20260105<TRNAMT>${amount}</STMTTRN>`)
    .join(
      '',
    )}</BANKTRANLIST><LEDGERBAL><BALAMT>${balance}<DTASOF>20260105</LEDGERBAL></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>`
const amountsOf = (amounts: string[], balance: string) => {
  const [account] = read(file(amounts, balance)).accounts
  return [...(account?.entries ?? []).map(({ amount }) => amount), account?.closingBalance?.amount]
}

test('amounts have grouped digits if an amount or the balance shows it', () => {
  expect(amountsOf(['1,850.25', '-1,500', '-2.50'], '350.25')).toEqual([185_025, -150_000, -250, 35_025])
  expect(amountsOf(['-1.500', '3,5'], '1.850,25')).toEqual([-150_000, 350, 185_025])
  expect(amountsOf(['-12.50', '-1.500'], '1.234,56')).toEqual([-1_250, -150, 123_456])
  expect(amountsOf(['-1,500', '2.500'], '1.00')).toEqual([-150, 250, 100])
  expect(errorsOf(() => read(file(['1,850.25', '12,50'], '1.00')))).toEqual({
    'rows.2.amount': ['The amount field must be a number.'],
  })
})

test('a file that is cut off says how many transactions came before', () => {
  const [first = '', second = ''] = file(['-1.50', '-2.50'], '1.00').split('</STMTTRN>')
  const cutOff = (text: string) => errorsOf(() => read(`${text}</STMTTRN>`))?.file?.[0]
  expect(cutOff(first)).toContain('after 1 transaction;')
  expect(cutOff(`${first}</STMTTRN>${second}`)).toContain('after 2 transactions;')
})

test('a statement that the bank forgot to end does not have the entries of the next', () => {
  const statement = (name: string, account: string) =>
    `<${name}><CURDEF>EUR<${account}><ACCTID>${name}</${account}><BANKTRANLIST><STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20260105<TRNAMT>-1.00</STMTTRN></BANKTRANLIST>`
  const both = statement('STMTRS', 'BANKACCTFROM') + statement('CCSTMTRS', 'CCACCTFROM')
  const { accounts } = read(`<OFX>${both}</CCSTMTRS></OFX>`)
  expect(accounts.map(({ identifier, entries }) => [identifier, entries.length])).toEqual([
    ['STMTRS', 1],
    ['CCSTMTRS', 1],
  ])
})

const statementOf = (...entries: string[]) =>
  `<CCSTMTRS><CURDEF>EUR<BANKTRANLIST>${entries.map((entry) => `<STMTTRN>${entry}</STMTTRN>`).join('')}</BANKTRANLIST></CCSTMTRS>`
const entry = (type: string, amount: string) => `<TRNTYPE>${type}<DTPOSTED>20260105<TRNAMT>${amount}`

test('a correction of an entry that is not in the file is refused', () => {
  const correction = `${entry('DEBIT', '-5.00')}<FITID>2<CORRECTFITID>1<CORRECTACTION>REPLACE`
  expect(errorsOf(() => read(`<OFX>${statementOf(correction)}</OFX>`))).toEqual({
    'rows.1.entry': [
      'The entry field corrects an entry that is not in the file; leave it out, and edit the transaction.',
    ],
  })
})

test('a hold is skipped', () => {
  const [account] = read(`<OFX>${statementOf(entry('HOLD', '-5.00'), entry('POS', '-7.00'))}</OFX>`).accounts
  expect(account).toMatchObject({ entries: [{ amount: -700 }], skipped: 1 })
})

test('types are compared with the signs of each statement', () => {
  const right = statementOf(...['-1.00', '-2.00', '-3.00'].map((amount) => entry('DEBIT', amount)))
  const wrong = statementOf(entry('DEBIT', '1.00'))
  expect(Object.keys(errorsOf(() => read(`<OFX>${right}${wrong}</OFX>`)) ?? {})).toContain('signs')
})

test('each type of amounts without signs is asked about, but for credits', () => {
  const unsigned = statementOf(entry('DEBIT', '1.00'), entry('CREDIT', '2.00'), entry('POS', '3.00'))
  const amounts = (marks: Record<string, string>) =>
    read(`<OFX>${unsigned}</OFX>`, { marks }).accounts[0]?.entries.map(({ amount }) => amount)
  expect(errorsOf(() => amounts({}))).toEqual({
    marks: [
      'Nothing in the file says which way 1 amount of type DEBIT went: none has a sign.',
      'Nothing in the file says which way 1 amount of type POS went: none has a sign.',
    ],
  })
  expect(amounts({ DEBIT: 'out', POS: 'in' })).toEqual([-100, 200, 300])
  const many = ['DEBIT', 'CREDIT', 'CREDIT', 'A', 'B', 'C', 'D', 'E', 'F', 'G'].map((type) =>
    entry(type, '1.00'),
  )
  expect(Object.keys(errorsOf(() => read(`<OFX>${statementOf(...many)}</OFX>`)) ?? {})).toEqual(['signs'])
})
