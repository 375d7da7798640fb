import { useState } from 'preact/hooks'
import { ApiError, type ImportResult, type Ledger, unwrap } from 'purse-client'
import type { PageProps } from '../app.tsx'
import { counted, money } from '../format.ts'
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
  const accounts = ledger.accounts().map(({ id, name }) => [`${id ?? ''}`, name] as const)
  const look = async (entries: Entries) => {
    try {
      const { import: outcome } = await send({ ...entries, dry_run: 'true' })
      setPreview({ entries, outcome })
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 422)) throw error
      // What has been answered stays, so that it can be answered differently.
      setQuestions({ ...questions, ...error.errors })
    }
  }
  const take = async (chosen: Entries) => {
    const { message, import: outcome } = await send({ ...preview?.entries, ...chosen })
    setPreview(undefined)
    setQuestions({})
    say(message, async () => {
      if (outcome.id) await unwrap(client.api.imports[':id'].$delete({ param: { id: outcome.id } }))
      await ledger.sync()
    })
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
  const mapping = Object.fromEntries(given.filter(([name]) => mappable.includes(name)))
  const others = Object.fromEntries(given.filter(([name]) => !mappable.includes(name)))
  const form: Entries = { ...others, mapping: JSON.stringify(mapping) }
  const { bank, store } = client.api.import
  // The form says what is a file and what a text; its types cannot.
  const request = { form: form as Entries & { file: string & File } }
  return unwrap(kind === 'own' ? store.$post(request) : bank.store.$post(request))
}

const mappable = ['date', 'amount', 'debit', 'credit', 'description']
const answers: Record<string, Record<string, string>> = {
  signs: { as_written: 'Negative amounts were spent', inverted: 'Positive amounts were spent' },
  date_format: { 'DD/MM/YYYY': 'Day first', 'MM/DD/YYYY': 'Month first', 'YYYY-MM-DD': 'Year first' },
  decimal_separator: { ',': '1,50', '.': '1.50' },
  delimiter: { comma: ',', semicolon: ';', tab: 'Tab', pipe: '|' },
}

/** A question of the API about the file, and what can be answered (docs/contract.md, Imports). */
function Question({ name, text }: { name: string; text: string }) {
  const [, listed] = /choose one of: (.*)\.$/.exec(text) ?? []
  const options = listed
    ? listed.split(', ').map((one) => [one, one] as const)
    : Object.entries(answers[name] ?? {})
  const fields = name === 'mapping' ? mappable : options.length > 0 ? [name] : []
  return (
    <fieldset class="fields">
      <legend>{text.replace(/ Send (mapping|signs)=.*/, '')}</legend>
      {fields.map((field) => (
        <Choice
          {...{ key: field, name: field, label: field.replace('_', ' ') }}
          options={[['', 'Choose …'], ...(name === 'mapping' ? columnsIn(text) : options)]}
        />
      ))}
    </fieldset>
  )
}

/** The columns that the question shows: by number, each with its header and what stands in the first row. */
function columnsIn(text: string): Options {
  const column = /(?:has |, )(\d+)(?: \(([^)]*)\))?: (.*?)(?=, \d+(?: \([^)]*\))?: |\. Send mapping)/g
  const found = [...text.matchAll(column)]
  return found.map(([, number = '', header = number, first]) => [number, `${header}: ${first}`])
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
        <p key={row.key}>{`There already: ${titleOf(row)}, ${money(row.amount)}, ${row.transaction_date}`}</p>
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
