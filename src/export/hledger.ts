import { journalAccount, journalEntry, journalTitle, type Posting } from '../shared/journal.ts'
import { formatMoney, negated } from '../shared/money.ts'
import type { Transaction } from '../transactions/read.ts'
import { type ExportReader, type FirstPage, firstStatements, transactionPages } from './pages.ts'

const opening = 'equity:opening balances'
const uncategorised = { income: 'revenues:Uncategorized', expense: 'expenses:Uncategorized' }

/**
 * Reads the first page, and returns everything in parts, as a journal of hledger: opening balances, every transaction, and
 * assertions of the balances at the end.
 */
export async function exportJournal(reader: ExportReader): Promise<AsyncGenerator<string>> {
  const first = await reader.read((limit) => firstStatements(reader.owner, {}, limit))
  const today = reader.owner.now.toISOString().slice(0, 10)
  return write(first, transactionPages(reader, {}, first), today)
}

async function* write({ accounts, ...first }: FirstPage, pages: AsyncIterable<Transaction[]>, today: string) {
  const nameOf = uniqueNames()
  const accountNames = new Map(accounts.map(({ id, name }) => [id, nameOf('assets', name, id)]))
  const categoryNames = new Map(
    first.categories.map(({ id, name, type }) => [
      id,
      nameOf(type === 'income' ? 'revenues' : 'expenses', name, id),
    ]),
  )
  const account = (id: number | null) => accountNames.get(id ?? 0) ?? ''
  const category = ({ categoryId, type }: Transaction) =>
    categoryNames.get(categoryId ?? 0) ?? (type === 'income' ? uncategorised.income : uncategorised.expense)

  function postingsOf(row: Transaction): Posting[] {
    const [added, taken] = [formatMoney(row.amount), formatMoney(negated(row.amount))]
    const own = account(row.accountId)
    if (row.type === 'income')
      return [
        [own, added],
        [category(row), taken],
      ]
    return [
      [row.type === 'transfer' ? account(row.toAccountId) : category(row), added],
      [own, taken],
    ]
  }
  const entryOf = (row: Transaction) =>
    journalEntry(journalTitle(row.transactionDate, row.reference, row.description), postingsOf(row))

  const others = [opening, ...Object.values(uncategorised), ...categoryNames.values()]
  yield `decimal-mark .\ncommodity 1000.00\n${[
    ...accounts.map(({ id }) => `account ${account(id)}  ; id:${id}\n`),
    ...others.map((name) => `account ${name}\n`),
  ].join('')}`
  let day: string = first.transactions[0]?.rows[0]?.transactionDate ?? today
  const started = accounts.map(
    ({ id, startingBalance }): Posting => [account(id), formatMoney(startingBalance)],
  )
  yield journalEntry(`${day} * opening balances`, [...started, [opening, '']])
  let count = 0
  for await (const page of pages) {
    yield page.map((row) => entryOf(row)).join('')
    count += page.length
    day = page.at(-1)?.transactionDate ?? day
  }
  yield journalEntry(
    `${day} * closing balances`,
    accounts.map(({ id, balance }): Posting => [account(id), `0.00 = ${formatMoney(balance)}`]),
  )
  yield `\n; complete: ${count} transactions\n`
}

/** Returns a function that makes an account name of hledger, which no other row has. */
function uniqueNames() {
  const taken = new Set<string>(Object.values(uncategorised))
  return (parent: string, name: string, id: number): string => {
    let full = journalAccount(parent, name)
    while (taken.has(full)) full += ` (${id})`
    taken.add(full)
    return full
  }
}
