import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import {
  ApiError,
  type ImportPreview,
  type ImportQuestion,
  type ImportResult,
  type Ledger,
  unwrap,
} from 'purse-client'
import { money } from '../amounts.ts'
import type { PageProps } from '../app.tsx'
import { differenceOf } from '../checks.ts'
import { counted, dotted, shortDay } from '../format.ts'
import { refuseUnreadable, sendFile } from '../import.ts'
import { findMatches, isSure, join } from '../matches.ts'
import { client } from '../session.ts'
import { useFollowed } from '../store.ts'
import { connection } from '../sync.ts'
import { nameOfField } from '../titles.ts'
import { Movement, signed } from '../ui/amount.tsx'
import { FirstAccount } from '../ui/first-steps.tsx'
import { Choice, type Entries, Field, Form } from '../ui/form.tsx'
import { Page } from '../ui/page.tsx'
import { Table } from '../ui/table.tsx'
import { say } from '../ui/toast.tsx'
import { Unverified } from './dashboard.tsx'
import { ImportChecks } from './import-checks.tsx'

type Outcome = ImportResult['import']

const kinds = Object.entries({ bank: 'A statement from the bank', own: 'My own CSV, with date and amount' })

/** Imports a file: first as a dry run, which may ask how to read it, then for good. */
export function ImportFile({ ledger }: PageProps) {
  const [questions, setQuestions] = useState<ImportQuestion[]>([])
  const [preview, setPreview] = useState<{ entries: Entries; outcome: Outcome }>()
  const [last, setLast] = useState<Entries>({})
  const [taken, setTaken] = useState<Outcome>()
  /** Counts what was entered, so that a response about an earlier file is ignored. */
  const entered = useRef(0)
  const { isOnline } = useFollowed(connection).get()
  const accounts = ledger.accounts().map(({ id, name }) => [`${id ?? ''}`, name] as const)
  const look = async (given: Entries) => {
    refuseUnreadable(given.file)
    const entries = withoutMoot(given, questions)
    const own = entered.current
    try {
      const { import: outcome } = await sendFile({ ...entries, dry_run: 'true' })
      if (own !== entered.current) return
      setPreview({ entries, outcome })
      return !hasNews(outcome)
    } catch (error) {
      if (!(error instanceof ApiError && error.questions.length > 0)) throw error
      // Questions that have been answered stay, so that the answer can be changed.
      const openFields = new Set(error.questions.map(({ field }) => field))
      setQuestions([...questions.filter(({ field }) => !openFields.has(field)), ...error.questions])
      if (Object.keys(error.errors).some((field) => !openFields.has(field))) throw error
      return false
    }
  }
  const take = async ({ joins, ...chosen }: Entries) => {
    const own = entered.current
    const { message, import: outcome } = await sendFile({ ...preview?.entries, ...chosen })
    if (joins && outcome.matches_url) {
      const found = await findMatches(Object.fromEntries(new URL(outcome.matches_url).searchParams))
      await join(found.filter(isSure))
    }
    await ledger.sync()
    if (own === entered.current) {
      setLast({ ...preview?.entries, id: `${outcome.id}` })
      setTaken(outcome)
      setPreview(undefined)
      setQuestions([])
    }
    say(message, () => undo(ledger, outcome))
  }
  const startAnew = ({ target }: Event) => {
    entered.current += 1
    setPreview(undefined)
    setTaken(undefined)
    if ((target as HTMLInputElement).name === 'file') setQuestions([])
  }
  if (accounts.length === 0) return <Page title="Import" children={<FirstAccount ledger={ledger} />} />
  return (
    <Page title="Import">
      <Unverified ledger={ledger} />
      <article>
        <p>A statement from your bank (CSV, Excel, OFX, QIF, CAMT, MT940), or a CSV of your own.</p>
        {!isOnline && <p role="alert">The service reads the file, so this needs a network.</p>}
        <Form
          key={last.id}
          submit="Look at the file"
          isDisabled={!isOnline}
          onSubmit={look}
          onInput={startAnew}
        >
          <div class="fields">
            <Field label="File" name="file" type="file" required />
            <Choice label="Into" name="account_id" value={last.account_id} options={accounts} required />
            <Choice label="Kind" name="kind" value={last.kind} options={kinds} />
          </div>
          {questions.map((question) => (
            <Question key={question.field} {...question} />
          ))}
        </Form>
      </article>
      {preview && <Found outcome={preview.outcome} onTake={take} />}
      {taken && <ImportChecks ledger={ledger} outcome={taken} />}
    </Page>
  )
}

/** Undoes an import, and says what that does to balance checks. */
async function undo(ledger: Ledger, { id }: Outcome): Promise<void> {
  const undone = id && (await unwrap(client.api.imports[':id'].$delete({ param: { id } })))
  await ledger.sync()
  const broken = undone ? undone.broken_checks : []
  if (broken.length === 0) return
  const sentences = broken.map((check) => `On ${shortDay(check.date)} there is ${differenceOf(check)}.`)
  say(['The import is undone.', ...sentences].join(' '))
}

/** Leaves out answers to questions that depend on another one which was not answered with its first option. */
function withoutMoot(entries: Entries, questions: ImportQuestion[]): Entries {
  const isFirst = (field: string) =>
    questions.find((one) => one.field === field)?.options[0]?.value === entries[field]
  const moot = questions.filter(({ depends_on }) => depends_on !== null && !isFirst(depends_on))
  const fields = new Set(moot.map(({ field }) => field))
  return Object.fromEntries(Object.entries(entries).filter(([field]) => !fields.has(field)))
}

/** What a file leaves open: each answer with the rows that it would make. */
function Question({ field, text, options }: ImportQuestion) {
  return (
    <fieldset class="question">
      <legend>{text.replace(/ (Send|Map) .*/, '')}</legend>
      {options.map(({ value, label, example }) => (
        <label key={value}>
          <input type="radio" name={field} value={value} required /> {label}
          {example.map((row) => (
            <small key={row.row} class="example">
              {`${shortDay(row.transaction_date)}: ${signed(row)} `}
              <bdi>{row.description}</bdi>
            </small>
          ))}
        </label>
      ))}
    </fieldset>
  )
}

/** The rows as they would be stored. */
function Rows({ rows, more }: ImportPreview) {
  return (
    <div class="list">
      {rows.map((row) => (
        <Movement
          key={row.row}
          row={row}
          isMuted={row.duplicate_of !== null}
          details={[
            dotted(
              shortDay(row.transaction_date),
              row.category?.name,
              row.duplicate_of ? 'already there' : row.possible ? 'may match another one' : '',
            ),
            row.category?.because,
          ]}
        />
      ))}
      {more > 0 && <p>{`… and ${counted(more, 'more row')}`}</p>}
    </div>
  )
}

/** How each aspect of the file was read, and why. */
function Settled({ settled }: Pick<Outcome, 'settled'>) {
  const rows = Object.entries(settled).map(([name, one]) => [nameOfField(name), one.value, one.proof])
  if (rows.length === 0) return null
  return (
    <details>
      <summary>How the file was read</summary>
      <Table head={['Aspect', 'Read as', 'Because']} rows={rows} />
    </details>
  )
}

/** The records of the file that are not rows, and why. */
function LeftOut({ left_out: { count, lines } }: Pick<Outcome, 'left_out'>) {
  if (count === 0) return null
  const rows = lines.map(({ line, text, reason }) => [
    String(line),
    text,
    reason === 'told' ? 'your answer' : nameOfField(reason),
  ])
  return (
    <details>
      <summary>{`${counted(count, 'line')} left out`}</summary>
      <Table head={['Line', 'Text', 'Because']} rows={rows} />
      {count > lines.length && <p>{`… and ${counted(count - lines.length, 'more line')}`}</p>}
    </details>
  )
}

/** The answers that changed nothing, since the file does not depend on them. */
function Unused({ unused }: Pick<Outcome, 'unused'>) {
  if (unused.length === 0) return null
  const names = unused.map((field) => nameOfField(field.replace('.', ': ')))
  return <p>{`The file did not need your answer about ${names.join(', ')}.`}</p>
}

const hasNews = ({ counts }: Outcome) => counts.created + counts.deleted_before > 0

function Found({ outcome, onTake }: { outcome: Outcome; onTake: (chosen: Entries) => Promise<void> }) {
  const { counts, preview, skipped, closing_balance: closing } = outcome
  const found = useRef<HTMLElement>(null)
  useLayoutEffect(() => found.current?.scrollIntoView(), [])
  const option = (name: string, value: string, label: string) => (
    <label>
      <input type="checkbox" name={name} value={value} /> {label}
    </label>
  )
  const after = preview?.balance_after && `; balance after ${money(preview.balance_after)}`
  const totals = preview && `; ${money(preview.total_in)} in, ${money(preview.total_out)} out${after ?? ''}`
  return (
    <article ref={found} aria-live="polite">
      <h2>{counts.created > 0 ? counted(counts.created, 'new transaction') : 'Nothing new in this file'}</h2>
      <p>
        {`${counted(counts.rows, 'row')}, ${counts.duplicate} already there, ${skipped} that moved no money`}
        {counts.created > 0 && totals}
      </p>
      <Unused unused={outcome.unused} />
      {closing && !closing.agrees && (
        <p role="alert">{`The bank says ${money(closing.statement)}, the account ${money(closing.account)}.`}</p>
      )}
      {hasNews(outcome) && (
        <Form submit={`Import ${counted(counts.created, 'transaction')}`} onSubmit={onTake}>
          {counts.deleted_before > 0 &&
            option('reimport_deleted', 'true', `Bring back ${counts.deleted_before} that you had deleted`)}
          {counts.possible > 0 &&
            option('joins', 'true', `Join possible matches that are sure (of ${counts.possible})`)}
        </Form>
      )}
      <LeftOut left_out={outcome.left_out} />
      <Settled settled={outcome.settled} />
      {preview && <Rows {...preview} />}
    </article>
  )
}
