import type { Case } from './cases.ts'
import { type Answers, type Reading, readFile } from './reader.ts'

/** What the first account of a case is read with before any question is answered. */
export function toldOf({ told, accounts: [account] }: Case): Answers {
  return account?.select ? { ...told, statement_account: account.select } : told
}

/** The fields that are asked after the first option of each question of the first sheet was chosen; null if none was asked. */
export function askedAgain(one: Case): string[] | null {
  const { questions } = read(one, toldOf(one))
  if (questions.length === 0) return null
  const first = questions.map(({ field, options }) => [field, options[0]?.value ?? ''])
  const next = read(one, { ...toldOf(one), ...Object.fromEntries(first) })
  return next.questions.map(({ field }) => field)
}

const read = ({ bytes, kind }: Case, answers: Answers): Reading => readFile(bytes, { kind, answers })
