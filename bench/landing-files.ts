import type { Bench } from './calls.ts'

/** A transaction to come. The amount is in minor units, negative for an expense. */
export type NewRow = {
  accountId: number
  categoryId: number
  amount: number
  date: string
  description: string
  clientId: string
}

const dayMs = 86_400_000

/** `count` rows of the last days, no two of them alike. */
export function newRows({ owner, number }: Bench, count: number, days: number): NewRow[] {
  const now = Date.now()
  return Array.from({ length: count }, () => {
    const n = number()
    const isIncome = n % 8 === 0
    return {
      accountId: owner.accounts[n % 3] ?? 0,
      // The first fourteen of the default categories are for expenses.
      categoryId: owner.categories[isIncome ? 14 : n % 14] ?? 0,
      amount: (isIncome ? 1 : -1) * (40_000 + n),
      date: new Date(now - (n % days) * dayMs).toISOString().slice(0, 10),
      description: `Payment ${n} at the market`,
      clientId: `phone-${n}`,
    }
  })
}

/** A row as the API takes it. */
export function toItem({ accountId, categoryId, amount, date, description, clientId }: NewRow) {
  return {
    account_id: accountId,
    category_id: categoryId,
    type: amount > 0 ? 'income' : 'expense',
    amount: decimal(Math.abs(amount)),
    transaction_date: date,
    description,
    client_id: clientId,
  }
}

/** A format of files to import, and the route that imports it. */
export type ImportFile = {
  format: string
  path: string
  type: string
  text: (rows: NewRow[], accountId: number) => string
}

/** The formats that differ in cost: JSON, CSV with and without known columns, markup. */
export const importFiles: ImportFile[] = [
  {
    format: 'JSON',
    path: '/api/import/store',
    type: 'application/json',
    text: (rows) => JSON.stringify({ transactions: rows.map(toItem) }),
  },
  {
    format: 'CSV',
    path: '/api/import/store',
    type: 'text/csv',
    text: (rows) =>
      lines(
        'date,amount,description,category',
        rows.map(({ date, amount, description }) => `${date},${decimal(amount)},${description},Groceries`),
      ),
  },
  {
    format: 'bank CSV',
    path: '/api/import/bank/store',
    type: 'text/csv',
    text: (rows) =>
      lines(
        'Booking date;Amount;Description',
        rows.map(({ date, amount, description }) => {
          const [year, month, day] = date.split('-')
          return `${day}.${month}.${year};${decimal(amount).replace('.', ',')};${description}`
        }),
      ),
  },
  {
    format: 'OFX',
    path: '/api/import/bank/store',
    type: 'application/x-ofx',
    text: (rows) =>
      lines(
        'OFXHEADER:100\nDATA:OFXSGML\nVERSION:102\nENCODING:UTF-8\n\n<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>EUR<BANKACCTFROM><BANKID>1<ACCTID>1<ACCTTYPE>CHECKING</BANKACCTFROM><BANKTRANLIST>',
        rows.map(
          ({ date, amount, description, clientId }) =>
            `<STMTTRN><TRNTYPE>OTHER<DTPOSTED>${date.replaceAll('-', '')}<TRNAMT>${decimal(amount)}<FITID>${clientId}<NAME>${description}</STMTTRN>`,
        ),
        '</BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>',
      ),
  },
]

function lines(head: string, rows: string[], ...tail: string[]): string {
  return [head, ...rows, ...tail, ''].join('\n')
}

function decimal(minor: number): string {
  return (minor / 100).toFixed(2)
}
