import { type BalanceCheck, checksOf, selectChecks, stateOf } from '../balance-checks/read.ts'
import { journalAccount, journalEntry, journalTitle, type Posting } from '../domain/journal.ts'
import { formatMoney, negated } from '../domain/money.ts'
import type { Rule } from '../recurring/read.ts'
import type { Transaction } from '../transactions/read.ts'
import {
  type ExportReader,
  type FirstPage,
  firstStatements,
  selectExportedRules,
  transactionPages,
} from './pages.ts'

/** What moves money, and on which days of the bank. */
type Booked = Pick<Transaction, 'type' | 'accountId' | 'toAccountId' | 'categoryId' | 'amount'> &
  Partial<Pick<Transaction, 'bookedOn' | 'toBookedOn'>>

const opening = 'equity:opening balances'
const uncategorised = { income: 'revenues:Uncategorized', expense: 'expenses:Uncategorized' }

/**
 * Reads the first page, and returns everything in parts, as a journal of hledger: opening balances, every transaction, and
 * assertions of the balances at the end and of the balance checks that are ok; recurring transactions are comments.
 */
export async function exportJournal(reader: ExportReader): Promise<AsyncGenerator<string>> {
  const { owner } = reader
  const first = await reader.read((limit) => ({
    ...firstStatements(owner, {}, limit),
    ...selectChecks(owner),
    rules: selectExportedRules(owner),
  }))
  const today = owner.now.toISOString().slice(0, 10)
  return write({ ...first, checks: checksOf(first) }, transactionPages(reader, {}, first), today)
}

async function* write(
  { accounts, checks, rules, ...first }: FirstPage & { checks: BalanceCheck[]; rules: Rule[] },
  pages: AsyncIterable<Transaction[]>,
  today: string,
) {
  const nameOf = uniqueNames()
  const accountNames = new Map(accounts.map(({ id, name }) => [id, nameOf('assets', name, id)]))
  const categoryNames = new Map(
    first.categories.map(({ id, name, type }) => [
      id,
      nameOf(type === 'income' ? 'revenues' : 'expenses', name, id),
    ]),
  )
  const account = (id: number | null) => accountNames.get(id ?? 0) ?? ''
  const category = ({ categoryId, type }: Booked) =>
    categoryNames.get(categoryId ?? 0) ?? (type === 'income' ? uncategorised.income : uncategorised.expense)

  function postingsOf(row: Booked): Posting[] {
    const [added, taken] = [formatMoney(row.amount), formatMoney(negated(row.amount))]
    const own = account(row.accountId)
    if (row.type === 'income')
      return [
        [own, added, row.bookedOn],
        [category(row), taken],
      ]
    return [
      row.type === 'transfer' ? [account(row.toAccountId), added, row.toBookedOn] : [category(row), added],
      [own, taken, row.bookedOn],
    ]
  }
  const entryOf = (row: Transaction) =>
    journalEntry(journalTitle(row.transactionDate, row.reference, row.description), postingsOf(row))

  const others = [opening, ...Object.values(uncategorised), ...categoryNames.values()]
  yield `decimal-mark .\ncommodity 1000.00\n${[
    ...accounts.map(({ id }) => `account ${account(id)}  ; id:${id}\n`),
    ...others.map((name) => `account ${name}\n`),
  ].join('')}`
  const firstDay = first.transactions[0]?.rows[0]?.transactionDate ?? today
  // No later than any day whose balance is asserted.
  let day: string = [firstDay, ...checks.map(({ date }) => date)].reduce(earlier)
  const started = accounts.map(
    ({ id, startingBalance }): Posting => [account(id), formatMoney(startingBalance)],
  )
  yield journalEntry(`${day} * opening balances`, [...started, [opening, '']])
  let count = 0
  for await (const page of pages) {
    yield page.map((row) => entryOf(row)).join('')
    count += page.length
    day = page.flatMap(daysOf).reduce(later, day)
  }
  yield journalEntry(
    `${day} * closing balances`,
    accounts.map(({ id, balance }): Posting => [account(id), `0.00 = ${formatMoney(balance)}`]),
  )
  // Assertions of a day are about the postings of that day further up in the file.
  yield checks.map((check) => checkEntry(check, account(check.accountId))).join('')
  yield rules.map((rule) => ruleEntry(rule, postingsOf(rule))).join('')
  yield `\n; complete: ${count} transactions\n`
}

/** An entry that asserts the bank's balance; in a comment if the account has another one. */
function checkEntry(check: BalanceCheck, account: string): string {
  const { date, balance, difference } = check
  const entry = (title: string) =>
    journalEntry(`${date} * ${title}`, [[account, `0.00 = ${formatMoney(balance)}`]])
  if (stateOf(check) === 'ok') return entry('balance check')
  const found = formatMoney(BigInt(balance) + difference)
  return inComment(entry(`balance check, but the balance is ${found}`))
}

/** An entry of a recurring transaction, in a comment: hledger has no such rules. */
function ruleEntry({ rrule, startsOn, paused, reference, description }: Rule, postings: Posting[]): string {
  const rule = `~ ${rrule}${paused ? ', paused' : ''}`
  return inComment(journalEntry(`${rule} ${journalTitle(startsOn, reference, description)}`, postings))
}

const inComment = (entry: string) => entry.replaceAll(/\n(?=.)/g, '\n; ')

const daysOf = ({ transactionDate, bookedOn, toBookedOn }: Transaction) =>
  [transactionDate, bookedOn, toBookedOn].filter((day) => day !== null)
const earlier = (one: string, other: string) => (one < other ? one : other)
const later = (one: string, other: string) => (one > other ? one : other)

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
