import { negated } from '../../src/domain/money.ts'
import { accountNames, askForAccount, mergeAccounts } from './accounts.ts'
import type { Aspects } from './aspect.ts'
import { signsByKnownRows } from './known.ts'
import type { Problems } from './problems.ts'
import type { BankStatement, StatementAccount } from './statement.ts'

/** The statements of a format that defines its signs. `against` is evidence that the bank writes others. Throws Unreadable. */
export function statementOf(
  format: BankStatement['format'],
  parts: StatementAccount[],
  against: string | null,
  aspects: Aspects,
  problems: Problems,
): BankStatement {
  // Without the amounts that cannot be read, balances do not follow.
  const accounts = settleSigns(mergeAccounts(parts), problems.any ? null : against, aspects)
  if (aspects.questions.length > 0) askForAccount(accountNames(accounts), aspects)
  problems.throwIfAny(aspects)
  return { format, accounts, settled: aspects.settled, headers: [] }
}

function settleSigns(
  accounts: StatementAccount[],
  against: string | null,
  aspects: Aspects,
): StatementAccount[] {
  const entries = accounts.flatMap((account) => account.entries)
  const signs = aspects.settle('signs', () => {
    if (entries.length === 0) return null
    if (against === null)
      return { value: 'as_written', proof: 'the format defines its signs', line: entries[0]?.lines[0] }
    return signsByKnownRows(entries, aspects) ?? question(against)
  })
  if (signs !== 'inverted') return accounts
  // Whether the balances are inverted too is unknown.
  return accounts.map((account) => ({
    ...account,
    entries: account.entries.map((entry) => ({ ...entry, amount: negated(entry.amount) })),
    openingBalance: null,
    closingBalance: null,
  }))
}

const question = (against: string) => ({
  code: 'signs_contradicted',
  question: `${against} Send signs=as_written if the signs are right, signs=inverted if negative amounts came in.`,
  options: [
    { value: 'as_written', label: 'Negative amounts were spent.' },
    { value: 'inverted', label: 'Negative amounts came in.' },
  ],
})
