import { addDays } from '../../../src/domain/dates.ts'
import type { Minor } from '../../../src/domain/money.ts'
import type { Case } from './cases.ts'
import type { Outcome } from './judge.ts'
import { type Answers, type Reading, readFile } from './reader.ts'

/** What the first account of a case is read with before any question is answered. */
export function toldOf({ told, accounts: [account] }: Case): Answers {
  return account?.select ? { ...told, statement_account: account.select } : told
}

/** What a file says before any question is answered, as `says` of a case does. */
export function textsOf(one: Case): Record<string, string> {
  const { problems, questions } = read(one, toldOf(one))
  const keyed = problems.map(({ line, ...problem }) =>
    line === null ? problem : { ...problem, field: `rows.${line}.${problem.field}` },
  )
  return Object.fromEntries([...keyed, ...questions].map(({ field, text }) => [field, text]).reverse())
}

/** The options of the first sheet that are refused where each is sent alone. */
export function refusedOptions(one: Case): string[] {
  const { questions } = read(one, toldOf(one))
  const answers = questions.flatMap(({ field, options }) =>
    options.map(({ value }) => [field, value] as const),
  )
  return answers.flatMap(([field, value]) => {
    const { problems } = read(one, { ...toldOf(one), [field]: value })
    return problems.length > 0 ? [`${field}=${value}: ${problems[0]?.text}`] : []
  })
}

/** The fields that are asked after the first option of each question of the first sheet was chosen; null if none was asked. */
export function askedAgain(one: Case): string[] | null {
  const { questions } = read(one, toldOf(one))
  if (questions.length === 0) return null
  const first = questions.map(({ field, options }) => [field, options[0]?.value ?? ''])
  const next = read(one, { ...toldOf(one), ...Object.fromEntries(first) })
  return next.questions.map(({ field }) => field)
}

/**
 * The file as that of the next month: with what was settled, and with what the account is known to hold before its first day
 * if the file before it ended with a balance.
 */
export function nextOf(one: Case, { reading: { remembered, balances, rows } }: Outcome): Case {
  const [first] = rows.map(({ date }) => date).sort()
  if (!balances.closing || !first) return { ...one, remembered }
  const moved = rows.reduce((sum, { amount }) => sum + amount, 0)
  const held = { date: addDays(first, -1), amount: (balances.closing.amount - moved) as Minor }
  return { ...one, remembered, known: { rows: [], balances: [held] } }
}

const read = ({ bytes, kind }: Case, answers: Answers): Reading => readFile(bytes, { kind, answers })

/** Two answers to a field that cannot both be true. */
const opposites: [field: string, one: string, other: string][] = [
  ['signs', 'as_written', 'inverted'],
  ['date_format', 'DD/MM/YYYY', 'MM/DD/YYYY'],
  ['decimal_separator', ',', '.'],
  ['fees', 'included', 'extra'],
  ['states.Pending', 'booked', 'skipped'],
  ['marks.D', 'in', 'out'],
]

/**
 * What is wrong with how a file takes answers that were not asked for: each has to be used, which `settled` shows and the
 * rows depend on, refused, or named as unused.
 */
export function answerFaults(one: Case, given: Answers): string[] {
  const base = rowsText(read(one, given))
  return opposites.flatMap(([field, ...values]) => {
    if (field in given) return []
    const readings = values.map((value) => read(one, { ...given, [field]: value }))
    const fates = readings.map((reading, i) => fateOf(reading, field, values[i] ?? ''))
    const faults = readings.flatMap((reading, i) => {
      if (fates[i] === 'ignored') return [`${field}=${values[i]} is ignored`]
      return fates[i] === 'unused' && rowsText(reading) !== base
        ? [`${field}=${values[i]} is used in secret`]
        : []
    })
    const [first, second] = readings.map(rowsText)
    const haveNoEffect = fates.every((fate) => fate === 'used') && first === second
    return haveNoEffect ? [...faults, `${field} has no effect`] : faults
  })
}

/** What became of an answer. */
function fateOf({ problems, questions, settled, unused }: Reading, field: string, value: string) {
  if (problems.length > 0 || questions.length > 0) return 'refused'
  if (settled[field]?.value === value) return 'used'
  return unused.includes(field) ? 'unused' : 'ignored'
}

const rowsText = ({ rows, balances }: Reading) =>
  JSON.stringify([
    balances,
    rows.map(({ date, amount, account, toAccount }) => [date, amount, account, toAccount]),
  ])
