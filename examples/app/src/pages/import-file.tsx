import { useState } from 'preact/hooks'
import { ApiError, type ImportResult, type Ledger, unwrap } from 'purse-client'
import type { PageProps } from '../app.tsx'
import { counted, money, shortDay } from '../format.ts'
import { client } from '../session.ts'
import { type Entries, Field, Form, type Options, Select } from '../ui/form.tsx'
import { Page } from '../ui/page.tsx'
import { say } from '../ui/toast.tsx'
import { titleOf } from './transactions.tsx'

type Outcome = ImportResult['import']
/** A form as it was last sent, as a dry run. */
type Preview = { entries: Entries; outcome: Outcome }

/** Imports a file: first as a dry run, which may ask how to read it, then for good. */
export function ImportFile({ ledger }: PageProps) {
  const [questions, setQuestions] = useState<Record<string, string[]>>({})
  const [preview, setPreview] = useState<Preview>()
  const accounts = ledger.accounts().filter(({ id }) => id !== null)

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
      <section>
        <p class="quiet">
          A statement of your bank (CSV, Excel, OFX, QIF, CAMT, MT940), or a CSV of your own.
        </p>
        <Form submit="Look at the file" onSubmit={look} onInput={() => setPreview(undefined)}>
          <div class="field">
            <label for="file">File</label>
            <input id="file" name="file" type="file" required onInput={() => setQuestions({})} />
          </div>
          <Select
            {...{ label: 'Into', name: 'account_id', required: true }}
            options={accounts.map(({ id, name }) => [String(id), name])}
          />
          <Select label="It is" name="kind" options={kinds} />
          {Object.entries(questions).map(([name, texts]) => (
            <Question key={name} {...{ name, texts }} />
          ))}
        </Form>
      </section>
      {preview && <Found ledger={ledger} outcome={preview.outcome} onTake={take} />}
    </Page>
  )
}

const kinds: Options = [
  ['bank', 'A statement of the bank'],
  ['own', 'A CSV of my own, with the columns date and amount'],
]

/** Sends a form with its file. Throws ApiError with questions by field. */
function send(entries: Entries): Promise<ImportResult> {
  const { kind, ...fields } = entries
  const mapped = Object.entries(fields).flatMap(([name, value]) =>
    name.startsWith('mapping.') && value ? [[name.slice('mapping.'.length), value]] : [],
  )
  const given = Object.entries(fields).filter(([name, value]) => value && !name.startsWith('mapping.'))
  const form = {
    ...Object.fromEntries(given),
    ...(mapped.length > 0 && { mapping: JSON.stringify(Object.fromEntries(mapped)) }),
  } as Entries & { file: string & File }
  const { bank, store } = client.api.import
  return unwrap(kind === 'own' ? store.$post({ form }) : bank.store.$post({ form }))
}

async function undo(ledger: Ledger, id: number | null): Promise<void> {
  if (id !== null) await unwrap(client.api.imports[':id'].$delete({ param: { id } }))
  await ledger.sync()
}

/** What can be answered to the questions of the API (docs/contract.md, Imports). */
const answers: Record<string, (text: string) => Options> = {
  signs: () => [
    ['as_written', 'Negative amounts were spent'],
    ['inverted', 'Positive amounts were spent'],
  ],
  date_format: () => ['DD/MM/YYYY', 'MM/DD/YYYY', 'YYYY-MM-DD', 'YYYY-DD-MM'].map((one) => [one, one]),
  decimal_separator: () => [',', '.'].map((one) => [one, `1${one}50`]),
  delimiter: () => ['comma', 'semicolon', 'tab', 'pipe'].map((one) => [one, one]),
  statement_account: (text) =>
    (/choose one of: (.*)\.$/.exec(text)?.[1]?.split(', ') ?? []).map((one) => [one, one]),
}
const mappable = ['date', 'amount', 'debit', 'credit', 'description']

function Question({ name, texts }: { name: string; texts: string[] }) {
  const text = texts.join(' ')
  if (name === 'mapping')
    return (
      <fieldset>
        <legend>Which column is what?</legend>
        <p class="quiet">{text.replace(/ Send mapping=.*/, '')}</p>
        {mappable.map((field) => (
          <Select
            key={field}
            {...{ label: field, name: `mapping.${field}` }}
            options={[['', 'As found'], ...columnsIn(text)]}
          />
        ))}
      </fieldset>
    )
  const options = answers[name]?.(text)
  if (!options) return <p class="error">{`${name.replaceAll('_', ' ')}: ${text}`}</p>
  const label = name.replaceAll('_', ' ')
  if (options.length === 0) return <Field {...{ label, name }} />
  return <Select {...{ label, name }} options={[['', 'Choose …'], ...options]} />
}

/** The columns that the question shows, by number, with their header and what stands in the first row. */
function columnsIn(text: string): Options {
  const column = /(?:has |, )(\d+)(?: \(([^)]*)\))?: (.*?)(?=, \d+(?: \([^)]*\))?: |\. Send mapping)/g
  return [...text.matchAll(column)].map(([, number = '', header, first]) => [
    number,
    `${header ?? `Column ${number}`}: ${first}`,
  ])
}

type FoundProps = { ledger: Ledger; outcome: Outcome; onTake: (chosen: Entries) => Promise<void> }

/** What the file would bring. */
function Found({ ledger, outcome, onTake }: FoundProps) {
  const { counts, duplicates, skipped, closing_balance } = outcome
  const known = duplicates.flatMap(({ transaction_id }) => ledger.transaction(transaction_id) ?? [])
  return (
    <section aria-live="polite">
      <h2>{counted(counts.created, 'new transaction')}</h2>
      <ul class="quiet">
        <li>{counted(counts.rows, 'row')} in the file</li>
        {counts.duplicate > 0 && <li>{counts.duplicate} there already</li>}
        {skipped > 0 && <li>{skipped} that moved no money</li>}
      </ul>
      {known.length > 0 && (
        <details>
          <summary>What is there already</summary>
          <ul>
            {known.map((row) => (
              <li key={row.key}>
                {shortDay(row.transaction_date)}: {titleOf(row)}, {money(row.amount)}
              </li>
            ))}
          </ul>
        </details>
      )}
      {closing_balance && (
        <p class={closing_balance.agrees ? 'quiet' : 'notice'}>
          {`The bank says ${money(closing_balance.statement)} on ${shortDay(closing_balance.date)}, `}
          {closing_balance.agrees
            ? 'and so does the account.'
            : `the account ${money(closing_balance.account)}.`}
        </p>
      )}
      <Form submit={`Import ${counted(counts.created, 'transaction')}`} onSubmit={onTake}>
        {counts.deleted_before > 0 && (
          <label>
            <input type="checkbox" name="reimport_deleted" value="true" />
            Bring back {counts.deleted_before} that you had deleted
          </label>
        )}
        {counts.possible > 0 && (
          <label>
            <input type="checkbox" name="match" value="sure" />
            {`${counts.possible} may stand twice, or be two sides of a transfer: join what is sure`}
          </label>
        )}
      </Form>
    </section>
  )
}
