import { addDays, type CalendarDate } from '../../src/domain/dates.ts'
import type { ExampleRow, FileQuestion } from '../../src/domain/file-questions.ts'
import type { Minor, MoneyProblem } from '../../src/domain/money.ts'
import { Aspects, allRows, asTold, type Question, type Settled } from './aspect.ts'
import type { ReadOptions } from './options.ts'
import type { Balance, LeftOut, Reason, StatementAccount, StatementEntry } from './statement.ts'
import { cleanText } from './text.ts'
import { refuseFile, Unreadable } from './unreadable.ts'

/** How many accounts an error lists. */
const accountsListed = 50

/** An account without entries yet. */
export function emptyAccount(identifier: string | null, currency: string | null): StatementAccount {
  const balances = { openingBalance: null, closingBalance: null, createdOn: null }
  return { identifier, currency, entries: [], ...balances, leftOut: [] }
}

/** Adds an entry to its account, or leaves it out if it moved no money. */
export function addEntry(account: StatementAccount, entry: StatementEntry): void {
  if (entry.amount !== 0) account.entries.push(entry)
  else account.leftOut.push(leftOut(entry.lines[0] ?? 0, entry.description, 'zero'))
}

/** The most characters of a record that are shown of it. */
const maxShown = 200

/** A record that is not an entry, with the text that shows which one it is. */
export function leftOut(line: number, text: string | null, reason: Reason): LeftOut {
  return { line, text: (cleanText(text ?? '') ?? '').slice(0, maxShown), reason }
}

/**
 * The names by which a user chooses one of several accounts: the identifier; `identifier/currency` where accounts share
 * an identifier; and with a number, `identifier/currency (2)`, where they share both.
 */
export function accountNames(accounts: Pick<StatementAccount, 'identifier' | 'currency'>[]): string[] {
  const sharers = Map.groupBy(accounts, ({ identifier }) => identifier)
  const taken = new Map<string, number>()
  return accounts.map(({ identifier, currency }) => {
    const isShared = (sharers.get(identifier)?.length ?? 0) > 1
    const parts = isShared || !identifier ? [identifier, currency] : [identifier]
    const name = parts.filter(Boolean).join('/') || 'unnamed'
    const times = (taken.get(name) ?? 0) + 1
    taken.set(name, times)
    return times === 1 ? name : `${name} (${times})`
  })
}

/** The account that is meant: the only one, or the one that the request or an earlier import names, or else a question. */
export function askForAccount(names: string[], aspects: Aspects): string {
  if (names.length < 2 || aspects.isAsked('statement_account')) return names[0] ?? ''
  const options = names.slice(0, accountsListed).map((name) => ({ value: name, label: name }))
  return aspects.settle('statement_account', () => ({ question: whichAccount(names), options }))
}

/** The account that the request, an earlier import or the file itself names. Throws Unreadable. */
export function chooseAccount(
  accounts: StatementAccount[],
  options: ReadOptions,
): { account: StatementAccount; settled: Settled } {
  const names = accountNames(accounts)
  const aspects = new Aspects(options)
  const [only] = accounts
  const told = aspects.told.statement_account
  if (names.length > 1) askForAccount(names, aspects)
  else if (only && told === undefined) askAboutOther(only, names[0] ?? '', aspects, options.elsewhere)
  if (aspects.questions.length > 0)
    throw new Unreadable({ questions: aspects.questions.map(withRows(accounts, names)) })
  const chosen = aspects.settled.statement_account?.value ?? told
  const isChosen = ({ identifier, currency }: StatementAccount, i: number) =>
    chosen === undefined ||
    chosen === allRows ||
    [names[i], identifier, `${identifier}/${currency}`].includes(chosen)
  const [account, ...others] = accounts.filter(isChosen)
  if (!account || others.length > 0) refuseFile(whichAccount(names), 'statement_account')
  if (told !== undefined) aspects.record('statement_account', told, asTold)
  else if (!chosen && account.identifier)
    aspects.record('statement_account', names[0] ?? '', 'the only account in the file')
  return { account, settled: aspects.settled }
}

/**
 * Asks about the only account of a file if an earlier one was of another account, or in another currency, or if one of the
 * same account went elsewhere.
 */
function askAboutOther(
  { identifier, currency }: StatementAccount,
  name: string,
  aspects: Aspects,
  elsewhere: ReadOptions['elsewhere'],
): void {
  const { statement_account: account, currency: before } = aspects.kept?.values ?? {}
  const isOther = Boolean(identifier && account && account !== allRows && account !== name)
  const place = identifier && account !== name ? elsewhere?.get(name) : undefined
  if (!isOther && !place && (!currency || !before || before === currency)) return
  const [found, earlier] = isOther ? [`of the account ${name}`, account] : [`in ${currency}`, before]
  const text = place
    ? `The file is of the account ${name}, which was imported into ${place}.`
    : `The file is ${found}, but ${earlier} was imported ${aspects.kept?.source}.`
  const what = isOther || place ? name : currency
  aspects.ask('statement_account', text, [{ value: name, label: `import ${what} into this account` }])
}

function withRows(accounts: StatementAccount[], names: string[]) {
  return (question: Question): FileQuestion => ({
    ...question,
    options: question.options.map((option) => ({
      ...option,
      example: exampleRows(accounts[names.indexOf(option.value)]?.entries.slice(0, 3) ?? []),
    })),
  })
}

/** Entries as questions show them. */
export function exampleRows(entries: StatementEntry[]): ExampleRow[] {
  return entries.map(({ lines, date, amount, description }) => ({
    line: lines[0] ?? 0,
    date,
    type: amount > 0 ? 'income' : 'expense',
    amount: Math.abs(amount) as Minor,
    description,
  }))
}

/** The error that asks which of the accounts is meant; long lists are cut. */
export function whichAccount(names: string[]): string {
  if (names.length === 1) return `The file contains one account only: ${names[0]}.`
  const listed = `${names.slice(0, accountsListed).join(', ')}${names.length > accountsListed ? ' …' : ''}`
  return `The file contains several accounts; choose one of: ${listed}.`
}

/** A balance. One whose date or amount cannot be read is left out without an error: no entry depends on it. */
export function toBalance(date: CalendarDate | null, amount: Minor | MoneyProblem): Balance | null {
  return date !== null && typeof amount === 'number' ? { date, amount, isProved: true } : null
}

/**
 * A statement with the day of its opening balance, the one before its first entry: some banks write the first day of the
 * statement beside it, others the last of the one before.
 */
function withOpeningDay(account: StatementAccount): StatementAccount {
  const { openingBalance, entries } = account
  const [first] = entries.map(({ date }) => date).sort()
  return {
    ...account,
    openingBalance: openingBalance && first ? { ...openingBalance, date: addDays(first, -1) } : null,
  }
}

/**
 * Merges the statements of each account, since files hold one per day or per page. The earliest opening balance and the
 * latest closing balance win; of two closing ones on the same day, the one further down in the file.
 */
export function mergeAccounts(parts: StatementAccount[]): StatementAccount[] {
  const merged = new Map<string, StatementAccount>()
  for (const part of parts.map(withOpeningDay)) {
    const key = JSON.stringify([part.identifier, part.currency])
    const account = merged.get(key)
    if (account) {
      for (const entry of part.entries) account.entries.push(entry)
      const [first, opening] = [account.openingBalance, part.openingBalance]
      if (!first || (opening && opening.date < first.date)) account.openingBalance = opening
      const [last, closing] = [account.closingBalance, part.closingBalance]
      if (!last || (closing && closing.date >= last.date))
        Object.assign(account, { closingBalance: closing, createdOn: part.createdOn })
      for (const record of part.leftOut) account.leftOut.push(record)
    } else merged.set(key, part)
  }
  return [...merged.values()]
}
