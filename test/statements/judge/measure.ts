import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { type AccountKind, accountKinds } from '../../../src/domain/types.ts'
import { randomCase } from '../random/statement.ts'
import { allCases, type Case, casesIn, toCaseFile } from './cases.ts'
import { goodVerdicts, type Outcome, outcomeOf } from './judge.ts'
import { kindOf } from './kinds.ts'
import { nextOf } from './laws.ts'

const { values } = parseArgs({
  options: {
    verbose: { type: 'boolean', short: 'v', default: false },
    /** Judges the files of a folder in place of the corpus. */
    folder: { type: 'string' },
    /** Judges this many random files in place of the corpus. */
    random: { type: 'string' },
    /** The kind of the account of all files of banks. */
    account: { type: 'string' },
    seed: { type: 'string', default: '1' },
    /** A folder for the random files that are not read as they should. */
    save: { type: 'string' },
  },
})

/** Prints what files come to: those of the corpus, of a folder, or random ones. */
if (values.random) measureRandom(Number(values.random), Number(values.seed))
else if (values.folder) measure(values.folder, casesIn(values.folder))
else for (const [title, cases] of Object.entries(allCases())) measure(title, cases)

function measure(title: string, cases: Case[]): void {
  const judged = cases.map((one) => ({ one, outcome: outcomeOf(intoAccount(one)) }))
  for (const { one, outcome } of judged)
    if (values.verbose || !goodVerdicts.includes(outcome.verdict)) print(one, outcome)
  console.log(`${title}: ${cases.length} files, ${counted(judged.map(({ outcome }) => outcome.verdict))}`)
  const asked = judged.flatMap(({ outcome }) => outcome.doubts.map((field) => field.split('.', 1)[0] ?? ''))
  console.log(`  ${asked.length} questions: ${counted(asked)}`)
  for (const [kind, some] of Map.groupBy(judged, ({ one, outcome }) => kindOf(one, outcome))) {
    const asking = some.filter(({ outcome }) => outcome.doubts.length > 0).length
    const later = some.filter(({ outcome }) => outcome.rounds > 1).length
    console.log(`  ${kind}: ${asking} of ${some.length} files ask, ${later} of them more than once`)
  }
}

/** The file as it is imported into an account of the kind that is given, if one is. */
function intoAccount(one: Case): Case {
  const kind = accountKinds.find((kind): kind is AccountKind => kind === values.account)
  return kind && one.kind === 'bank' ? { ...one, known: { ...one.known, kind } } : one
}

function measureRandom(many: number, seed: number): void {
  const found: { verdict: string; product: string }[] = []
  const asksNext: string[] = []
  const asksTwice: string[] = []
  for (let i = 0; i < many; i += 1) {
    const one = randomCase(seed + i)
    const outcome = outcomeOf(one)
    const isGood = goodVerdicts.includes(outcome.verdict)
    found.push({ verdict: outcome.verdict, product: one.name.split(' ')[1] ?? '' })
    if (isGood && asksAgain(one, outcome)) asksNext.push(one.name)
    if (outcome.rounds > 1) asksTwice.push(one.name)
    if (values.verbose && !isGood) print(one, outcome)
    if (values.save && !isGood) save(values.save, one, outcome)
  }
  console.log(`random from seed ${seed}: ${many} files, ${counted(found.map(({ verdict }) => verdict))}`)
  for (const [product, some] of Map.groupBy(found, ({ product }) => product))
    console.log(`  ${product}: ${some.length} files, ${counted(some.map(({ verdict }) => verdict))}`)
  console.log(`  more than one sheet of questions: ${asksTwice.length}`)
  console.log(`  the next file of a layout asks again: ${asksNext.length}`)
  if (values.verbose) console.log([...asksNext.slice(0, 10), ...asksTwice.slice(0, 10)].join('\n'))
}

function asksAgain(one: Case, outcome: Outcome): boolean {
  return outcomeOf(nextOf(one, outcome)).asked.length > 0
}

function save(folder: string, one: Case, { verdict }: Outcome): void {
  mkdirSync(folder, { recursive: true })
  const name = `${verdict} ${one.name}`.replaceAll(/[^\w]+/g, '-')
  writeFileSync(path.join(folder, `${name}.csv`), one.bytes)
  writeFileSync(path.join(folder, `${name}.json`), JSON.stringify(toCaseFile(`${name}.csv`, one), null, 1))
}

function counted(verdicts: string[]): string {
  const counts = [...Map.groupBy(verdicts, (verdict) => verdict)]
  return counts
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([verdict, some]) => `${some.length} ${verdict}`)
    .join(', ')
}

function print({ name }: Case, { verdict, asked, text }: Outcome): void {
  console.log(`${verdict.padEnd(16)}${name} ${asked.join(' ')} ${text.slice(0, 300)}`)
}
