import { columnOf } from '../database/input-columns.ts'
import { formatMoney } from '../domain/money.ts'
import { csvHeaders, exportedTexts } from '../domain/transaction-fields.ts'
import type { ExportQuery } from './contract.ts'
import { type ExportReader, firstStatements, transactionPages } from './pages.ts'

/** Reads the first page, and returns the transactions in parts, as a CSV that import/store reads. */
export async function exportCsv(reader: ExportReader, filter: ExportQuery): Promise<AsyncGenerator<string>> {
  const first = await reader.read((limit) => firstStatements(reader.owner, filter, limit))
  const accounts = new Map(first.accounts.map(({ id, name }) => [id, name]))
  const categories = new Map(first.categories.map(({ id, name }) => [id, name]))
  const pages = transactionPages(reader, filter, first)

  async function* write() {
    yield csvHeaders.join()
    for await (const page of pages) {
      const lines = page.map((row) =>
        [
          row.transactionDate,
          formatMoney(row.amount),
          row.type,
          cell(accounts.get(row.accountId)),
          cell(accounts.get(row.toAccountId ?? 0)),
          cell(categories.get(row.categoryId ?? 0)),
          ...exportedTexts.map((name) => cell(row[columnOf(name)])),
        ].join(),
      )
      // Line ends come before rows, so that only a complete file ends with one.
      yield lines.map((line) => `\r\n${line}`).join('')
    }
    yield '\r\n'
  }
  return write()
}

/** A cell (RFC 4180). Texts are quoted, since a reader may take another character for the separator. */
function cell(text: string | null | undefined): string {
  return text ? `"${text.replaceAll('"', '""')}"` : ''
}
