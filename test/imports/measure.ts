import { allCases, type Case, kindOf, type Outcome, outcomeOf } from './cases.ts'

/** Prints what the files of the corpus come to: the measure of how well files are read. */
for (const [title, cases] of Object.entries(allCases())) {
  const outcomes = cases.map((one) => ({ one, outcome: outcomeOf(one) }))
  const isVerbose = process.argv.includes('-v')
  for (const { one, outcome } of outcomes)
    if (isVerbose || outcome.result === 'wrong' || outcome.result === 'refused') print(one, outcome)
  const count = (result: Outcome['result']) =>
    outcomes.filter(({ outcome }) => outcome.result === result).length
  console.log(
    `${title}: ${cases.length} files, ${count('exact')} exact, ${count('asked')} exact after answers, ${count('wrong')} wrong, ${count('refused')} refused`,
  )
  for (const [kind, some] of Map.groupBy(outcomes, ({ one, outcome }) => kindOf(one, outcome))) {
    const asking = some.map(({ outcome }) => outcome.doubts.length).filter((many) => many > 0)
    const median = asking.sort((a, b) => a - b)[Math.floor(asking.length / 2)] ?? 0
    console.log(`  ${kind}: ${asking.length} of ${some.length} files ask, ${median} in the median`)
  }
}

function print({ name }: Case, { result, asked, text }: Outcome): void {
  console.log(`${result.padEnd(8)}${name} ${asked.join(' ')} ${text.slice(0, 300)}`)
}
