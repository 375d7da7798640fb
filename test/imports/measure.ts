import { allCases, type Case, type Outcome, outcomeOf } from './cases.ts'

/** Prints what the files of the corpus come to: the measure of how well files are read. */
for (const [title, cases] of Object.entries(allCases())) {
  const outcomes = cases.map((one) => ({ one, outcome: outcomeOf(one) }))
  const isVerbose = process.argv.includes('-v')
  for (const { one, outcome } of outcomes)
    if (isVerbose || outcome.result === 'wrong' || outcome.result === 'refused') print(one, outcome)
  const count = (result: Outcome['result']) =>
    outcomes.filter(({ outcome }) => outcome.result === result).length
  const questions = outcomes.map(({ outcome }) => outcome.asked.length)
  const asking = questions.filter((many) => many > 0).sort((a, b) => a - b)
  const share = ((100 * asking.length) / questions.length).toFixed(0)
  console.log(
    `${title}: ${cases.length} files, ${count('exact')} exact, ${count('asked')} exact after answers, ${count('wrong')} wrong, ${count('refused')} refused; ${share} % ask, ${asking[Math.floor(asking.length / 2)] ?? 0} questions in the median of these`,
  )
}

function print({ name }: Case, { result, asked, text }: Outcome): void {
  console.log(`${result.padEnd(8)}${name} ${asked.join(' ')} ${text.slice(0, 300)}`)
}
