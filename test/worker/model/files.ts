import { decimal } from './shown.ts'
import type { Item } from './state.ts'

/** A row as in a file, with accounts and categories by id or by name. */
export type FileRow = Omit<Item, 'account_id' | 'to_account_id' | 'category_id'> & {
  account: number | string
  to: number | string | null
  category: number | string | null
}
export type File = {
  path: string
  format: string
  rows: FileRow[]
  /** The line of the first row, as errors name it. */
  firstLine: number
  isDryRun: boolean
  /** What is done about possible matches. */
  match: 'suggest' | 'off'
  /** The Idempotency-Key. */
  key: string | null
  closing?: { account: number; date: string; balance: bigint }
}
/** Writes rows as a CSV file. */
export function csv(rows: FileRow[]): string {
  const lines = rows.map((row) =>
    [
      row.transaction_date,
      decimal(row.amount),
      row.type,
      row.account,
      row.to,
      row.category,
      row.description,
      row.reference,
    ].join(','),
  )
  return `date,amount,type,account,to_account,category,description,reference\n${lines.join('\n')}\n`
}

/** Writes rows, and the balance after them, as a bank statement. */
export function ofx({ rows, closing }: Pick<File, 'rows' | 'closing'>): string {
  const compact = (date: string) => date.replaceAll('-', '')
  const entries = rows.map((row) =>
    [
      `<STMTTRN><TRNTYPE>OTHER<DTPOSTED>${compact(row.transaction_date)}`,
      `<TRNAMT>${decimal(row.type === 'income' ? row.amount : -row.amount)}`,
      row.reference === null ? '' : `<FITID>${row.reference}`,
      row.description === null ? '' : `<NAME>${row.description}`,
      '</STMTTRN>',
    ].join('\n'),
  )
  const balance = closing
    ? `<LEDGERBAL><BALAMT>${decimal(closing.balance)}<DTASOF>${compact(closing.date)}</LEDGERBAL>`
    : ''
  return `OFXHEADER:100\n\n<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>EUR<BANKTRANLIST>${entries.join('\n')}</BANKTRANLIST>${balance}</STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>`
}

/** The file as the whole body; its options are in the query. */
export function uploadOf(file: string) {
  return { rawBody: file, headers: { 'Content-Type': 'text/plain' } }
}
