import { parseArgs } from 'node:util'
import { allCases, type Case, casesIn } from './cases.ts'
import { goodVerdicts, type Outcome, outcomeOf } from './judge.ts'
import { kindOf } from './kinds.ts'

/** Prints what the files of the corpus, or those of a folder, come to: the measure of how well files are read. */
const { values } = parseArgs({
  options: { verbose: { type: 'boolean', short: 'v', default: false }, folder: { type: 'string' } },
})
const sets: Record<string, Case[]> = values.folder ? { [values.folder]: casesIn(values.folder) } : allCases()
for (const [title, cases] of Object.entries(sets)) {
  const judged = cases.map((one) => ({ one, outcome: outcomeOf(one) }))
  for (const { one, outcome } of judged)
    if (values.verbose || !goodVerdicts.includes(outcome.verdict)) print(one, outcome)
  const verdicts = Map.groupBy(judged, ({ outcome }) => outcome.verdict)
  const counts = [...verdicts].map(([verdict, some]) => `${some.length} ${verdict}`)
  console.log(`${title}: ${cases.length} files, ${counts.join(', ')}`)
  for (const [kind, some] of Map.groupBy(judged, ({ one, outcome }) => kindOf(one, outcome))) {
    const asking = some.filter(({ outcome }) => outcome.doubts.length > 0).length
    const later = some.filter(({ outcome }) => outcome.rounds > 1).length
    console.log(`  ${kind}: ${asking} of ${some.length} files ask, ${later} of them more than once`)
  }
}

function print({ name }: Case, { verdict, asked, text }: Outcome): void {
  console.log(`${verdict.padEnd(16)}${name} ${asked.join(' ')} ${text.slice(0, 300)}`)
}
