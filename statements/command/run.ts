import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { CalendarDate } from '../../src/domain/dates.ts'
import { type AccountKind, accountKinds } from '../../src/domain/types.ts'
import { type Answers, type Kind, type Known, type Reading, readStatement, recognise } from '../index.ts'
import { questionsText, summaryText } from './explain.ts'
import { formats } from './formats.ts'

const usage =
  'purse-statements FILE|- [--answer signs=inverted ...] [--known kind=current] [--kind bank|own] [--format table|json|csv|hledger]'
/** The exit codes. */
const [done, failed, undecided] = [0, 1, 2]

type Arguments = {
  file: string
  kind: Kind | null
  format: keyof typeof formats
  answers: Answers
  known: Pick<Known, 'kind'>
}

/** Runs the command with the arguments of the process. */
export function main(args: string[]): void {
  try {
    if (args.includes('--help')) console.log(`Usage: ${usage}`)
    else process.exitCode = run(argumentsOf(args))
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    console.error(`purse-statements: ${text.replaceAll(/\s+/g, ' ')}`)
    process.exitCode = failed
  }
}

/** Writes the rows to stdout, and the rest to stderr; JSON has both. Throws if the file cannot be read. */
function run({ file, answers, known, format, ...told }: Arguments): number {
  const bytes = readFileSync(file === '-' ? 0 : file)
  const kind = told.kind ?? recognise(bytes, { answers }).kind ?? 'bank'
  const reading = readStatement(bytes, { kind, today: today(), answers, known })
  if (reading.questions.length === 0 && reading.problems.length > 0)
    throw new Error(problemText(file, reading))
  const isOpen = reading.questions.length > 0 || reading.unused.length > 0
  if (format === 'json' || !isOpen) process.stdout.write(formats[format](reading))
  if (format !== 'json') console.error(isOpen ? questionsText(reading) : summaryText(reading))
  return isOpen ? undecided : done
}

function argumentsOf(args: string[]): Arguments {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      answer: { type: 'string', multiple: true, default: [] },
      known: { type: 'string' },
      kind: { type: 'string' },
      format: { type: 'string', default: 'table' },
    },
  })
  const [file, ...others] = positionals
  const { kind = null, format, known = 'kind=' } = values
  if (file === undefined || others.length > 0) throw new Error(`Usage: ${usage}`)
  if (kind !== null && kind !== 'bank' && kind !== 'own') throw new Error('--kind is bank or own.')
  if (!isFormat(format)) throw new Error(`--format is one of ${Object.keys(formats).join(', ')}.`)
  const answers = Object.fromEntries(values.answer.map(answerOf))
  return { file, kind, format, answers, known: { kind: accountKindOf(known) } }
}

function accountKindOf(text: string): AccountKind | null {
  const kind = accountKinds.find((one) => text === `kind=${one}`)
  if (!kind && text !== 'kind=') throw new Error(`--known is kind= and one of ${accountKinds.join(', ')}.`)
  return kind ?? null
}

function isFormat(name: string): name is keyof typeof formats {
  return Object.hasOwn(formats, name)
}

function answerOf(text: string): [field: string, value: string] {
  const at = text.indexOf('=')
  if (at < 1) throw new Error(`--answer is a field and its value, such as signs=inverted, not ${text}.`)
  return [text.slice(0, at), text.slice(at + 1)]
}

function today(): CalendarDate {
  return new Date().toISOString().slice(0, 10)
}

function problemText(file: string, { problems: [first, ...others] }: Reading): string {
  const cell = first?.cell ? `, ${JSON.stringify(first.cell)}` : ''
  const place = first?.line ? `${file}, line ${first.line}${cell}` : file
  return `${place}: ${first?.text}${others.length > 0 ? ` (and ${others.length} more)` : ''}`
}
