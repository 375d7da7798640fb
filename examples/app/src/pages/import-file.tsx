import { useState } from 'preact/hooks'
import { ApiError, type ImportPreview, type ImportQuestion, type ImportResult, unwrap } from 'purse-client'
import type { PageProps } from '../app.tsx'
import { counted, money, shortDay } from '../format.ts'
import { joinSure, sendFile } from '../import.ts'
import { client } from '../session.ts'
import { useFollowed } from '../store.ts'
import { connection } from '../sync.ts'
import { Choice, type Entries, Field, Form } from '../ui/form.tsx'
import { Page } from '../ui/page.tsx'
import { Table } from '../ui/table.tsx'
import { say } from '../ui/toast.tsx'

type Outcome = ImportResult['import']

const kinds = Object.entries({ bank: 'A statement from the bank', own: 'My own CSV, with date and amount' })

/** Imports a file: first as a dry run, which may ask how to read it, then for good. */
export function ImportFile({ ledger }: PageProps) {
  const [questions, setQuestions] = useState<ImportQuestion[]>([])
  const [preview, setPreview] = useState<{ entries: Entries; outcome: Outcome }>()
  const { isOnline } = useFollowed(connection).get()
  const accounts = ledger.accounts().map(({ id, name }) => [`${id ?? ''}`, name] as const)
  const look = async (entries: Entries) => {
    try {
      const { import: outcome } = await sendFile({ ...entries, dry_run: 'true' })
      setPreview({ entries, outcome })
    } catch (error) {
      if (!(error instanceof ApiError && error.questions.length > 0)) throw error
      // Questions that have been answered stay, so that the answer can be changed.
      const asked = new Set(error.questions.map(({ field }) => field))
      setQuestions([...questions.filter(({ field }) => !asked.has(field)), ...error.questions])
      if (Object.keys(error.errors).some((field) => !asked.has(field))) throw error
    }
  }
  const take = async ({ joins, ...chosen }: Entries) => {
    const { message, import: outcome } = await sendFile({ ...preview?.entries, ...chosen })
    if (joins && outcome.matches_url) await joinSure(outcome.matches_url)
    setPreview(undefined)
    setQuestions([])
    say(message, async () => {
      if (outcome.id) await unwrap(client.api.imports[':id'].$delete({ param: { id: outcome.id } }))
      await ledger.sync()
    })
    await ledger.sync()
  }
  const startAnew = ({ target }: Event) => {
    setPreview(undefined)
    if ((target as HTMLInputElement).name === 'file') setQuestions([])
  }
  return (
    <Page title="Import">
      <article>
        <p>A statement from your bank (CSV, Excel, OFX, QIF, CAMT, MT940), or a CSV of your own.</p>
        {!isOnline && <p role="alert">The service reads the file, so this needs a network.</p>}
        {accounts.length === 0 && <a href="/accounts">Add its account first.</a>}
        <Form submit="Look at the file" onSubmit={look} onInput={startAnew}>
          <Field label="File" name="file" type="file" required />
          <Choice label="Into" name="account_id" options={accounts} required />
          <Choice label="Kind" name="kind" options={kinds} />
          {questions.map((question) => (
            <Question key={question.field} {...question} />
          ))}
        </Form>
      </article>
      {preview && <Found outcome={preview.outcome} onTake={take} />}
    </Page>
  )
}

/** What a file leaves open: each answer with the rows that it would make. */
function Question({ field, text, options }: ImportQuestion) {
  return (
    <fieldset>
      <legend>{text.replace(/ (Send|Map) .*/, '')}</legend>
      {options.map(({ value, label, example }) => (
        <label key={value}>
          <input type="radio" name={field} value={value} required /> {label}
          {example.map((row) => (
            <small
              key={row.row}
            >{`${shortDay(row.transaction_date)}: ${signed(row)} ${row.description ?? ''}`}</small>
          ))}
        </label>
      ))}
    </fieldset>
  )
}

/** An amount as it changes the account. */
const signed = ({ type, amount }: { type: string; amount: string }) =>
  money(type === 'income' ? amount : `-${amount}`)

/** The rows as they would be stored. */
function Rows({ rows, more }: ImportPreview) {
  const cells = rows.map((row) => [
    `${row.row}`,
    shortDay(row.transaction_date),
    row.description ?? '',
    signed(row),
    row.duplicate_of ? 'already there' : (row.category?.name ?? ''),
  ])
  return (
    <>
      <Table head={['Row', 'Date', 'Description', 'Amount', 'Category']} rows={cells} />
      {more > 0 && <p>{`… and ${counted(more, 'more row')}`}</p>}
    </>
  )
}

type FoundProps = { outcome: Outcome; onTake: (chosen: Entries) => Promise<void> }

function Found({ outcome, onTake }: FoundProps) {
  const { counts, preview, skipped, closing_balance: closing } = outcome
  const option = (name: string, value: string, label: string) => (
    <label>
      <input type="checkbox" name={name} value={value} /> {label}
    </label>
  )
  return (
    <article aria-live="polite">
      <h2>{counted(counts.created, 'new transaction')}</h2>
      <p>{`${counted(counts.rows, 'row')}, ${counts.duplicate} already there, ${skipped} that moved no money`}</p>
      {preview && <Rows {...preview} />}
      {closing && !closing.agrees && (
        <p role="alert">{`The bank says ${money(closing.statement)}, the account ${money(closing.account)}.`}</p>
      )}
      <Form submit={`Import ${counted(counts.created, 'transaction')}`} onSubmit={onTake}>
        {counts.deleted_before > 0 &&
          option('reimport_deleted', 'true', `Bring back ${counts.deleted_before} that you had deleted`)}
        {counts.possible > 0 &&
          option('joins', 'true', `Join those of ${counts.possible} possible matches that are sure`)}
      </Form>
    </article>
  )
}
