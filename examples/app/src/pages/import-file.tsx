import { useState } from 'preact/hooks'
import { ApiError, type ImportResult, type Ledger, unwrap } from 'purse-client'
import type { PageProps } from '../app.tsx'
import { counted, money } from '../format.ts'
import { columnsIn, mappable, sendFile } from '../import.ts'
import { client } from '../session.ts'
import { useFollowed } from '../store.ts'
import { connection } from '../sync.ts'
import { inWords } from '../titles.ts'
import { Choice, type Entries, Field, Form } from '../ui/form.tsx'
import { Page } from '../ui/page.tsx'
import { say } from '../ui/toast.tsx'

type Outcome = ImportResult['import']

const kinds = Object.entries({ bank: 'A statement from the bank', own: 'My own CSV, with date and amount' })

/** Imports a file: first as a dry run, which may ask how to read it, then for good. */
export function ImportFile({ ledger }: PageProps) {
  const [questions, setQuestions] = useState<Record<string, string[]>>({})
  const [preview, setPreview] = useState<{ entries: Entries; outcome: Outcome }>()
  const { isOnline } = useFollowed(connection).get()
  const accounts = ledger.accounts().map(({ id, name }) => [`${id ?? ''}`, name] as const)
  const look = async (entries: Entries) => {
    try {
      const { import: outcome } = await sendFile({ ...entries, dry_run: 'true' })
      setPreview({ entries, outcome })
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 422)) throw error
      const asked = Object.entries(error.errors).filter(([name]) => name === 'mapping' || name in answers)
      // Questions that have been answered stay, so that the answer can be changed.
      setQuestions({ ...questions, ...Object.fromEntries(asked) })
      if (asked.length < Object.keys(error.errors).length) throw error
    }
  }
  const take = async (chosen: Entries) => {
    const { message, import: outcome } = await sendFile({ ...preview?.entries, ...chosen })
    setPreview(undefined)
    setQuestions({})
    say(message, async () => {
      if (outcome.id) await unwrap(client.api.imports[':id'].$delete({ param: { id: outcome.id } }))
      await ledger.sync()
    })
    await ledger.sync()
  }
  const startAnew = ({ target }: Event) => {
    setPreview(undefined)
    if ((target as HTMLInputElement).name === 'file') setQuestions({})
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
          {Object.entries(questions).map(([name, texts]) => (
            <Question key={name} name={name} text={texts.join(' ')} />
          ))}
        </Form>
      </article>
      {preview && <Found ledger={ledger} outcome={preview.outcome} onTake={take} />}
    </Page>
  )
}

const answers: Record<string, Record<string, string>> = {
  signs: { as_written: 'Negative amounts were spent', inverted: 'Positive amounts were spent' },
  date_format: { 'DD/MM/YYYY': 'Day first', 'MM/DD/YYYY': 'Month first', 'YYYY-MM-DD': 'Year first' },
  decimal_separator: { ',': '1,50', '.': '1.50' },
  delimiter: { comma: ',', semicolon: ';', tab: 'Tab', pipe: '|' },
  statement_account: {},
}

/** A question of the API about the file, with the possible answers (docs/contract.md, Imports). */
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

type FoundProps = { ledger: Ledger; outcome: Outcome; onTake: (chosen: Entries) => Promise<void> }

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
      <p>{`${counted(counts.rows, 'row')}, ${counts.duplicate} already there, ${skipped} that moved no money`}</p>
      {known.map((row) => (
        <p key={row.key}>{`Already there: ${inWords(row)}`}</p>
      ))}
      {closing && !closing.agrees && (
        <p role="alert">{`The bank says ${money(closing.statement)}, the account ${money(closing.account)}.`}</p>
      )}
      <Form submit={`Import ${counted(counts.created, 'transaction')}`} onSubmit={onTake}>
        {counts.deleted_before > 0 &&
          option('reimport_deleted', 'true', `Bring back ${counts.deleted_before} that you had deleted`)}
        {counts.possible > 0 &&
          option('match', 'sure', `Join those of ${counts.possible} possible matches that are sure`)}
      </Form>
    </article>
  )
}
