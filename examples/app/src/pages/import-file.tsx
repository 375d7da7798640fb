import { useState } from 'preact/hooks'
import { ApiError, type ImportResult, type Ledger, unwrap } from 'purse-client'
import type { PageProps } from '../app.tsx'
import { counted, money, shortDay } from '../format.ts'
import { client } from '../session.ts'
import { Choice, type Entries, Field, Form, type Options } from '../ui/form.tsx'
import { Page } from '../ui/page.tsx'
import { say } from '../ui/toast.tsx'
import { titleOf } from './transactions.tsx'

type Outcome = ImportResult['import']

const kinds: Options = [
  ['bank', 'A statement of the bank'],
  ['own', 'A CSV of my own, with the columns date and amount'],
]

/** Imports a file: first as a dry run, which may ask how to read it, then for good. */
export function ImportFile({ ledger }: PageProps) {
  const [questions, setQuestions] = useState<Record<string, string[]>>({})
  const [preview, setPreview] = useState<{ entries: Entries; outcome: Outcome }>()
  const accounts = ledger
    .accounts()
    .flatMap(({ id, name }) => (id === null ? [] : [[String(id), name] as const]))

  const look = async (entries: Entries) => {
    try {
      const { import: outcome } = await send({ ...entries, dry_run: 'true' })
      setPreview({ entries, outcome })
    } catch (error) {
      // What has been answered stays, so that it can be answered differently.
      if (error instanceof ApiError) setQuestions({ ...questions, ...error.errors })
      throw error
    }
  }
  const take = async (chosen: Entries) => {
    const { message, import: outcome } = await send({ ...preview?.entries, ...chosen })
    setPreview(undefined)
    setQuestions({})
    say(message, () => undo(ledger, outcome.id))
    await ledger.sync()
  }
  return (
    <Page title="Import">
      <article>
        <p>A statement of your bank (CSV, Excel, OFX, QIF, CAMT, MT940), or a CSV of your own.</p>
        <Form submit="Look at the file" onSubmit={look} onInput={() => setPreview(undefined)}>
          <Field label="File" name="file" type="file" required />
          <Choice label="Into" name="account_id" options={accounts} required />
          <Choice label="It is" name="kind" options={kinds} />
          {Object.entries(questions).map(([name, texts]) => (
            <Question key={name} name={name} text={texts.join(' ')} />
          ))}
        </Form>
      </article>
      {preview && <Found ledger={ledger} outcome={preview.outcome} onTake={take} />}
    </Page>
  )
}

/** Sends a form with its file. Throws ApiError with questions by field. */
function send({ kind, ...entries }: Entries): Promise<ImportResult> {
  const given = Object.entries(entries).filter(([, value]) => value)
  const isMapped = ([name]: [string, string]) => name.startsWith('mapping.')
  const mapped = given.filter(isMapped).map(([name, value]) => [name.replace('mapping.', ''), value])
  const form = {
    ...Object.fromEntries(given.filter((entry) => !isMapped(entry))),
    ...(mapped.length > 0 && { mapping: JSON.stringify(Object.fromEntries(mapped)) }),
  } as Entries & { file: string & File }
  const { bank, store } = client.api.import
  return unwrap(kind === 'own' ? store.$post({ form }) : bank.store.$post({ form }))
}

async function undo(ledger: Ledger, id: number | null): Promise<void> {
  if (id !== null) await unwrap(client.api.imports[':id'].$delete({ param: { id } }))
  await ledger.sync()
}

const choices = (values: string[]): Options => [['', 'Choose …'], ...values.map((one) => [one, one] as const)]
const mappable = ['date', 'amount', 'debit', 'credit', 'description']

/** What can be answered to a question of the API (docs/contract.md, Imports). */
function answersTo(name: string, text: string): Options | undefined {
  const [, listed = ''] = /choose one of: (.*)\.$/.exec(text) ?? []
  if (name === 'statement_account') return choices(listed.split(', '))
  if (name === 'date_format') return choices(['DD/MM/YYYY', 'MM/DD/YYYY', 'YYYY-MM-DD', 'YYYY-DD-MM'])
  if (name === 'decimal_separator') return choices([',', '.'])
  if (name === 'delimiter') return choices(['comma', 'semicolon', 'tab', 'pipe'])
  if (name !== 'signs') return undefined
  return [
    ...choices([]),
    ['as_written', 'Negative amounts were spent'],
    ['inverted', 'Positive amounts were spent'],
  ]
}

function Question({ name, text }: { name: string; text: string }) {
  const label = name.replaceAll('_', ' ')
  const options = answersTo(name, text)
  if (options) return <Choice label={label} name={name} options={options} />
  if (name !== 'mapping') return <p role="alert">{`${label}: ${text}`}</p>
  const columns: Options = [['', 'As it was found'], ...columnsIn(text)]
  return (
    <fieldset class="fields">
      <legend>Which column is what?</legend>
      {mappable.map((field) => (
        <Choice key={field} label={field} name={`mapping.${field}`} options={columns} />
      ))}
    </fieldset>
  )
}

/** The columns that the question shows: by number, each with its header and what stands in the first row. */
function columnsIn(text: string): Options {
  const column = /(?:has |, )(\d+)(?: \(([^)]*)\))?: (.*?)(?=, \d+(?: \([^)]*\))?: |\. Send mapping)/g
  return [...text.matchAll(column)].map(([, number = '', header = number, first]) => [
    number,
    `${header}: ${first}`,
  ])
}

type FoundProps = { ledger: Ledger; outcome: Outcome; onTake: (chosen: Entries) => Promise<void> }

/** What the file would bring. */
function Found({ ledger, outcome, onTake }: FoundProps) {
  const { counts, duplicates, skipped, closing_balance: closing } = outcome
  const known = duplicates.flatMap(({ transaction_id }) => ledger.transaction(transaction_id) ?? [])
  const option = (name: string, value: string, label: string) => (
    <label>
      <input type="checkbox" name={name} value={value} /> {label}
    </label>
  )
  return (
    <article aria-live="polite">
      <h2>{counted(counts.created, 'new transaction')}</h2>
      <p>{`${counted(counts.rows, 'row')}, ${counts.duplicate} there already, ${skipped} that moved no money`}</p>
      {known.map((row) => (
        <small key={row.key} class="line">
          {`There already: ${titleOf(row)}, ${money(row.amount)}, ${shortDay(row.transaction_date)}`}
        </small>
      ))}
      {closing && !closing.agrees && (
        <p role="alert">{`The bank says ${money(closing.statement)}, the account ${money(closing.account)}.`}</p>
      )}
      <Form submit={`Import ${counted(counts.created, 'transaction')}`} onSubmit={onTake}>
        {counts.deleted_before > 0 &&
          option('reimport_deleted', 'true', `Bring back ${counts.deleted_before} that you had deleted`)}
        {counts.possible > 0 &&
          option('match', 'sure', `Join the surest of ${counts.possible} that may stand twice`)}
      </Form>
    </article>
  )
}
