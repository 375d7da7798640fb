import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import {
  ApiError,
  type ImportPreview,
  type ImportQuestion,
  type ImportResult,
  type Ledger,
  LedgerError,
} from 'purse-client'
import { openFirst } from '../accounts.ts'
import { money } from '../amounts.ts'
import type { PageProps } from '../app.tsx'
import { counted, dotted, grouped, shortDay } from '../format.ts'
import { recognise, sendFile, unrecognised } from '../import.ts'
import { answerIn, askedIn, aspectIn, inPlainWords, valueIn } from '../import-words.ts'
import { countMatches, findMatches, isSure, join } from '../matches.ts'
import { occurrenceInWords } from '../recurring.ts'
import { useFollowed } from '../store.ts'
import { connection } from '../sync.ts'
import { inWords, nameOfField } from '../titles.ts'
import { Movement, signed } from '../ui/amount.tsx'
import { FirstAccount } from '../ui/first-steps.tsx'
import { Choice, type Entries, Field, Form, optionsOf } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { reload } from '../ui/loaded.ts'
import { Page } from '../ui/page.tsx'
import { Table } from '../ui/table.tsx'
import { say } from '../ui/toast.tsx'
import { Unverified } from './dashboard.tsx'
import { ImportChecks } from './import-checks.tsx'
import { ImportHistory, undoImport } from './import-history.tsx'

type Outcome = ImportResult['import']

/** Imports a file: first as a dry run, which may ask how to read it, then for good. */
export function ImportFile({ ledger }: PageProps) {
  const { isOnline } = useFollowed(connection).get()
  const { kind, problem, questions, preview, done, last, isBusy, startAnew, look, take } = useImport(ledger)
  const form = useRef<HTMLElement>(null)
  useEffect(() => form.current?.querySelector<HTMLElement>(firstOpen)?.focus(), [questions])
  return (
    <Page title="Import">
      <Unverified ledger={ledger} />
      <article ref={form} onDragOver={(event) => event.preventDefault()} onDrop={dropFile}>
        <p>
          A statement from your bank (CSV, Excel, OFX, QIF, CAMT, MT940), the export of another app (of YNAB,
          the “Register”), or a CSV of your own. Choose the file, or drop it here.
        </p>
        {!isOnline && <p role="alert">The service reads the file, so this needs a network.</p>}
        <Form
          key={last.id}
          submit="Look at the file"
          isDisabled={!isOnline || (kind === 'bank' && !problem && ledger.accounts().length === 0)}
          onSubmit={look}
          onInput={startAnew}
        >
          <div class="fields">
            <Field label="File" name="file" type="file" required />
            {kind === 'bank' && <Into ledger={ledger} value={last.account_id} />}
          </div>
          {problem && <p role="alert">{problem}</p>}
          {questions.map((question) =>
            question.asksKind ? (
              <KindQuestion key={question.field} {...question} />
            ) : (
              <Question key={question.field} {...question} />
            ),
          )}
        </Form>
        {isBusy && (
          <p role="status">
            Reading the file … <progress aria-label="Progress" />
          </p>
        )}
      </article>
      {kind === 'bank' && !problem && ledger.accounts().length === 0 && <FirstAccount ledger={ledger} />}
      {preview && <Found ledger={ledger} outcome={preview.outcome} onTake={take} />}
      {done && <ImportChecks ledger={ledger} outcome={done} />}
      {done && <Added ledger={ledger} outcome={done} />}
      <ImportHistory ledger={ledger} />
    </Page>
  )
}

/** The first question without an answer. */
const firstOpen = 'fieldset.question:not(:has(:checked)) input'

/** What the chosen file is. */
function useRecognised() {
  const [found, setFound] = useState(unrecognised)
  const latest = useRef(Promise.resolve(unrecognised))
  const choose = (file: File | undefined) => {
    const own = file ? recognise(file) : Promise.resolve(unrecognised)
    latest.current = own
    void own.then((result) => own === latest.current && setFound(result))
  }
  return { found, choose, latest: () => latest.current }
}

/** What a person has chosen and answered, and what the service has found in the file. */
function useImport(ledger: Ledger) {
  const file = useRecognised()
  const [questions, setQuestions] = useState<Asked[]>([])
  const [preview, setPreview] = useState<{ entries: Entries; outcome: Outcome }>()
  const [done, setDone] = useState<Outcome>()
  const [last, setLast] = useState<Entries>({})
  const [isBusy, setBusy] = useState(false)
  /** Counts what was entered, so that a response about an earlier file is ignored. */
  const entered = useRef(0)
  const look = async (given: Entries) => {
    const { kind, problem } = await file.latest()
    if (problem) return false
    const entries = withoutMoot({ ...given, kind }, questions)
    const own = entered.current
    try {
      const { import: outcome } = await send(ledger, { ...entries, dry_run: 'true' })
      if (own !== entered.current) return
      setPreview({ entries, outcome })
      return !hasNews(outcome)
    } catch (error) {
      if (!(error instanceof ApiError && error.questions.length > 0)) throw inWordsOfPeople(error)
      const openFields = new Set(error.questions.map(({ field }) => field))
      setQuestions(openedBy(ledger, given, questions, error.questions))
      if (Object.keys(error.errors).some((field) => !openFields.has(field))) throw inWordsOfPeople(error)
      return false
    }
  }
  const take = async ({ joins, ...chosen }: Entries) => {
    const own = entered.current
    const { message, import: outcome } = await send(ledger, { ...preview?.entries, ...chosen })
    const days = outcome.matches_url && Object.fromEntries(new URL(outcome.matches_url).searchParams)
    if (joins && days) await join((await findMatches(days)).filter(isSure))
    if (days) void countMatches(days)
    await Promise.all([ledger.sync(), reload()])
    if (own === entered.current) {
      setLast({ ...preview?.entries, id: `${outcome.id}` })
      setDone(outcome)
      setPreview(undefined)
      setQuestions([])
    }
    say(
      message.replace(/: see matches_url\.$/, '.').replace(/\d{4,}/g, (count) => grouped(Number(count))),
      () => undoImport(ledger, outcome),
    )
  }
  const whileBusy = (act: (entries: Entries) => Promise<unknown>) => (entries: Entries) => {
    setBusy(true)
    return act(entries).finally(() => setBusy(false))
  }
  const startAnew = ({ target }: Event) => {
    entered.current += 1
    setPreview(undefined)
    setDone(undefined)
    if (!(target instanceof HTMLInputElement) || target.name !== 'file') return
    setQuestions([])
    file.choose(target.files?.[0])
  }
  return {
    ...file.found,
    questions,
    preview,
    done,
    last,
    isBusy,
    startAnew,
    look: whileBusy(look),
    take: whileBusy(take),
  }
}

/** Sends the file with the id of its account, which the service may not have yet, nor its kind. */
async function send(ledger: Ledger, { account_id: key = '', account_kind: named, ...entries }: Entries) {
  const account = () => ledger.accounts().find((one) => one.key === key)
  const kind = Object.keys(kinds).find((one): one is keyof typeof kinds => one === named)
  const isNew = kind && account()?.kind !== kind
  if (isNew) await ledger.update('account', key, { kind })
  if (isNew || account()?.id === null) await ledger.sync()
  return sendFile({ ...entries, account_id: String(account()?.id ?? '') })
}

/** The account of a statement. None is chosen for a person who has several. */
function Into({ ledger, value }: Pick<PageProps, 'ledger'> & { value: string | undefined }) {
  const accounts = openFirst(ledger)
  const [first, ...others] = accounts.filter(({ closed_on }) => closed_on === null)
  if (accounts.length === 0) return null
  return (
    <Choice
      label="Into"
      name="account_id"
      value={value ?? (others.length === 0 ? (first?.key ?? '') : '')}
      options={[['', 'Choose …'], ...optionsOf(accounts)]}
      required
    />
  )
}

/** Puts a file that is dropped on the page into the form. */
function dropFile(event: DragEvent & { currentTarget: HTMLElement }) {
  event.preventDefault()
  const input = event.currentTarget.querySelector<HTMLInputElement>('input[type=file]')
  if (!input || !event.dataTransfer?.files.length) return
  input.files = event.dataTransfer.files
  input.dispatchEvent(new Event('input', { bubbles: true }))
}

/** What an import has added, and what it leaves to decide. */
function Added({
  ledger,
  outcome: { id, counts, occurrences },
}: Pick<PageProps, 'ledger'> & { outcome: Outcome }) {
  const added = { import_id: id ?? 0, per_page: 1 }
  const { total: transfers } = ledger.transactions({ ...added, type: 'transfer' })
  const unfiled = ledger.transactions({ ...added, category_id: 'none' }).total - transfers
  const links: [string, string][] = [
    [`/transactions?import_id=${id}`, counted(counts.created, 'new transaction')],
  ]
  if (unfiled > 0)
    links.push([`/transactions?import_id=${id}&category_id=none`, `${grouped(unfiled)} without a category`])
  links.push(...linksTo(ledger, occurrences, counts.occurrences))
  const open = counts.possible + counts.halves
  if (open > 0) links.push(['/matches', `${grouped(open)} that may be double, or half of a transfer`])
  return (
    <article class="list">
      {links.map(([path, text]) => (
        <a key={path} href={path} class="row">
          <span>{text}</span>
          <Icon name="right" />
        </a>
      ))}
    </article>
  )
}

const mostNamed = 5

/** The recurring transactions that an import has brought: by name, if they are few. */
function linksTo(ledger: Ledger, occurrences: Outcome['occurrences'], count: number): [string, string][] {
  const named = occurrences.map((one): [string, string] => [
    `/recurring?rule=${one.recurring_id}`,
    occurrenceInWords(ledger, one) ?? '',
  ])
  if (count === 0) return []
  if (count <= mostNamed && named.every(([, text]) => text)) return named
  return [['/recurring', counted(count, 'recurring transaction')]]
}

/** The same failure, in texts that name no field of the API. */
function inWordsOfPeople(error: unknown): unknown {
  if (!(error instanceof ApiError && error.status === 422)) return error
  const errors = Object.entries(error.errors).map(([field, texts]) => [field, texts.map(inPlainWords)])
  return new LedgerError(inPlainWords(error.message), Object.fromEntries(errors))
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
function Question(question: ImportQuestion) {
  return (
    <fieldset class="question">
      <legend>{askedIn(question)}</legend>
      {question.options.map((option) => (
        <label key={option.value}>
          <input type="radio" name={question.field} value={option.value} required />{' '}
          {answerIn(question, option)}
          {option.example.map((row) => (
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

/** A question, and whether it is asked what the account is, which may answer it. */
type Asked = ImportQuestion & { asksKind: boolean }

/** All questions so far: those that have been answered stay, so that the answer can be changed. */
function openedBy(ledger: Ledger, { account_id }: Entries, before: Asked[], open: readonly ImportQuestion[]) {
  const hasNoKind = ledger.accounts().some(({ key, kind }) => key === account_id && kind === null)
  const isOfKind = ({ code }: ImportQuestion) => code === 'signs_unproved' || code === 'signs_of_debt'
  const asked = open.map((question) => ({ ...question, asksKind: hasNoKind && isOfKind(question) }))
  return [...before.filter((one) => !open.some(({ field }) => field === one.field)), ...asked]
}

const kinds = {
  current: 'No, a current account',
  savings: 'No, a savings account',
  card: 'Yes, a card',
  loan: 'It is a loan',
  investment: 'It is an investment',
}

/** Asks what the account is, and only of a card and the like which amounts were spent. */
function KindQuestion(question: ImportQuestion) {
  const [kind, setKind] = useState('current')
  return (
    <>
      <fieldset class="question">
        <legend>Is this a card?</legend>
        {Object.entries(kinds).map(([value, label]) => (
          <label key={value}>
            <input type="radio" name="account_kind" value={value} required onChange={() => setKind(value)} />{' '}
            {label}
          </label>
        ))}
      </fieldset>
      {kind !== 'current' && kind !== 'savings' && <Question {...question} />}
    </>
  )
}

type RowsProps = ImportPreview & Pick<PageProps, 'ledger'> & Pick<Outcome, 'occurrences' | 'left_out'>

/** The rows as they would be stored. */
function Rows({ ledger, rows, more, occurrences, left_out }: RowsProps) {
  const nameOf = (id: number) => {
    const row = ledger.transaction(id)
    return row ? `may be the same as ${inWords(row)}` : 'may match another row of the file'
  }
  const expected = new Map(occurrences.map((one) => [one.row, one]))
  const expectedAs = (row: number) => {
    const one = expected.get(row)
    return one && (occurrenceInWords(ledger, one) ?? 'a recurring transaction')
  }
  const isLeftOut = ({ row }: { row: number }) =>
    left_out.lines.some(({ line, reason }) => reason === 'reconciled' && line === row)
  return (
    <div class="list">
      {rows.map((row) => (
        <Movement
          key={row.row}
          row={row}
          isMuted={row.duplicate_of !== null || isLeftOut(row)}
          details={[
            dotted(
              shortDay(row.transaction_date),
              row.category?.name,
              row.to_account ? `${row.account} → ${row.to_account}` : row.account,
              row.duplicate_of ? 'already there' : row.possible ? nameOf(row.possible) : '',
              isLeftOut(row) && 'left out',
            ),
            expectedAs(row.row),
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
  const rows = Object.entries(settled).map(([name, one]) => [aspectIn(name), valueIn(one.value), one.proof])
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
    reason === 'told' ? 'your answer' : reason === 'reconciled' ? 'reconciled period' : nameOfField(reason),
  ])
  return (
    <details>
      <summary>{`${counted(count, 'line')} left out`}</summary>
      <Table head={['Line', 'Text', 'Because']} rows={rows} />
      {count > lines.length && <p>{`… and ${counted(count - lines.length, 'more line')}`}</p>}
    </details>
  )
}

const hasNews = ({ counts }: Outcome) => counts.created + counts.deleted_before > 0

type FoundProps = Pick<PageProps, 'ledger'> & {
  outcome: Outcome
  onTake: (chosen: Entries) => Promise<unknown>
}

function Found({ ledger, outcome, onTake }: FoundProps) {
  const { counts, preview, skipped, closing_balance: closing, accounts_created: added } = outcome
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
        {`${counted(counts.rows, 'row')}, ${grouped(counts.duplicate)} already there, ${grouped(skipped)} that moved no money`}
        {counts.created > 0 && totals}
      </p>
      {closing && !closing.agrees && (
        <p role="alert">{`The bank says ${money(closing.statement)}, the account ${money(closing.account)}.`}</p>
      )}
      {added.length > 0 && (
        <p>{`The file names ${counted(added.length, 'account')} that you do not have: ${added.join(', ')}. Importing adds ${added.length === 1 ? 'it' : 'them'}.`}</p>
      )}
      {hasNews(outcome) && (
        <Form submit={`Import ${counted(counts.created, 'transaction')}`} onSubmit={onTake}>
          {counts.deleted_before > 0 &&
            option(
              'reimport_deleted',
              'true',
              `Bring back ${grouped(counts.deleted_before)} that you had deleted`,
            )}
          {counts.possible > 0 &&
            option('joins', 'true', `Join possible matches that are sure (of ${grouped(counts.possible)})`)}
        </Form>
      )}
      <LeftOut left_out={outcome.left_out} />
      <Settled settled={outcome.settled} />
      {preview && <Rows {...{ ledger, ...outcome }} {...preview} />}
    </article>
  )
}
