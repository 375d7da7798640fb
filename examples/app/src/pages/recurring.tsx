import { useEffect, useRef, useState } from 'preact/hooks'
import type { Ledger, LedgerRecurring, LedgerTransaction, LedgerUpcoming } from 'purse-client'
import { money, typedAmount } from '../amounts.ts'
import type { PageProps } from '../app.tsx'
import { counted, dotted, shortDay } from '../format.ts'
import { lookOf } from '../looks.ts'
import { linkOccurrence } from '../recurring.ts'
import { repeatsText } from '../repeats.ts'
import { place } from '../router.ts'
import { inWords, titleOfRule } from '../titles.ts'
import { Amount, signed } from '../ui/amount.tsx'
import { Button } from '../ui/button.tsx'
import { transferLook, Waits } from '../ui/days.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Empty } from '../ui/empty.tsx'
import { FirstAccount } from '../ui/first-steps.tsx'
import { AmountField, type Entries, Field, Form, type Options, Segments } from '../ui/form.tsx'
import { Badge } from '../ui/icon.tsx'
import { useListItem } from '../ui/list-item.ts'
import { Page } from '../ui/page.tsx'
import type { Edited } from '../ui/row-dialog.tsx'
import { say, writeAndSay } from '../ui/toast.tsx'
import { RecurringDialog } from './recurring-dialog.tsx'
import { Suggestions } from './suggestions.tsx'
import { dates } from './transaction-dialog.tsx'

type Occurrence = LedgerUpcoming['occurrences'][number]
type Chosen = { rule: LedgerRecurring; occurrence: Occurrence }

/** Two months: a rent shows twice. */
const daysAhead = 62

/** Transactions that repeat: what is due or comes next, and the rules. */
export function Recurring({ ledger }: PageProps) {
  const [edited, setEdited] = useState<Edited<LedgerRecurring>>()
  const [chosen, setChosen] = useState<Chosen>()
  if (ledger.accounts().length === 0)
    return <Page title="Recurring" children={<FirstAccount ledger={ledger} />} />
  const rules = ledger.recurring()
  return (
    <Page title="Recurring" add="recurring transaction" onAdd={() => setEdited('new')}>
      <div class={rules.length > 0 ? 'columns uneven' : ''}>
        {rules.length > 0 ? (
          <Upcoming {...{ ledger, rules, onChoose: setChosen }} />
        ) : (
          <Empty title="Nothing repeats yet">
            <p>
              Add your rent, a salary or a subscription. You see when it is due, and what your accounts will
              hold until then.
            </p>
          </Empty>
        )}
        <div>
          <Suggestions ledger={ledger} />
          {rules.length > 0 && <Rules rules={rules} onChoose={setEdited} />}
        </div>
      </div>
      {edited && <RecurringDialog {...{ ledger, edited, onDone: () => setEdited(undefined) }} />}
      {chosen && <OccurrenceDialog {...{ ledger, ...chosen, onDone: () => setChosen(undefined) }} />}
    </Page>
  )
}

const wayOfRule = ({ account, to_account }: LedgerRecurring): string =>
  to_account ? `${account.name} → ${to_account.name}` : account.name

const amountOf = ({ type, amount_tolerance }: LedgerRecurring, amount: string): string =>
  (amount_tolerance > 0 ? '≈ ' : '') + (type === 'transfer' ? money(amount) : signed({ type, amount }))

const BadgeOf = ({ rule: { type, category } }: { rule: LedgerRecurring }) => (
  <Badge {...(type === 'transfer' ? transferLook : lookOf(category))} />
)

type UpcomingProps = { ledger: Ledger; rules: LedgerRecurring[]; onChoose: (chosen: Chosen) => void }

function Upcoming({ ledger, rules, onChoose }: UpcomingProps) {
  const listed = ledger
    .upcoming({ days: daysAhead })
    .occurrences.filter(({ state }) => state !== 'recorded')
    .flatMap((occurrence) => {
      const rule = rules.find(({ key }) => key === occurrence.recurring_key)
      return rule ? [{ rule, occurrence }] : []
    })
  return (
    <article class="list">
      <h2>Upcoming</h2>
      {listed.length === 0 && <p>Nothing is due in the next two months.</p>}
      {listed.map((one) => (
        <UpcomingRow
          key={`${one.rule.key} ${one.occurrence.occurrence_date}`}
          {...{ ledger, ...one, onChoose }}
        />
      ))}
    </article>
  )
}

const stateOf = ({ state, days_late }: Occurrence): string =>
  state === 'due' ? (days_late > 0 ? `Due for ${counted(days_late, 'day')}` : 'Due today') : ''

function UpcomingRow({ ledger, rule, occurrence, onChoose }: Chosen & Omit<UpcomingProps, 'rules'>) {
  const { occurrence_date: date, transaction_date, amount, state } = occurrence
  const what = `${titleOfRule(rule)} of ${shortDay(date)}`
  const description = rule.exceptions[date]?.description ?? titleOfRule(rule)
  const itself = rule.auto_record && 'records itself'
  const details = <small>{dotted(shortDay(transaction_date), itself, wayOfRule(rule))}</small>
  const item = useListItem(what)
  const record = () =>
    writeAndSay(
      ledger,
      (options) => ledger.recordOccurrence(rule.key, date, options),
      `${what} is recorded.`,
      `This records ${what}.`,
    )
  const skip = () => writeAndSay(ledger, () => ledger.skipOccurrence(rule.key, date), `${what} is skipped.`)
  const restore = () =>
    writeAndSay(ledger, () => ledger.changeOccurrence(rule.key, date, { skip: null }), `${what} is back.`)
  // The same button in another state, which keeps the focus.
  const skipOrRestore = (label: string, onClick: () => void) => (
    <Button key="skip" label={label} aria-label={`${label} ${what}`} isMain={false} onClick={onClick} />
  )
  if (state === 'skipped')
    return (
      <div class="line" {...item}>
        <div class="row">
          <BadgeOf rule={rule} />
          <span>
            <s>{description}</s>
            {details}
          </span>
        </div>
        <div class="together">{skipOrRestore('Restore', restore)}</div>
      </div>
    )
  const similar = similarTo(ledger, occurrence)
  const recording = similar ? 'Record anyway' : 'Record'
  return (
    <div class="line" {...item}>
      <button type="button" class="row" onClick={() => onChoose({ rule, occurrence })}>
        <BadgeOf rule={rule} />
        <span>
          <span>
            <bdi>{description}</bdi> {state === 'due' && <mark>{stateOf(occurrence)}</mark>}
          </span>
          {details}
          {similar && <small class="whole">{`Is it ${inWords(similar)}?`}</small>}
        </span>
        <Amount class={rule.type} text={amountOf(rule, amount)} />
      </button>
      <div class="together">
        {similar && <ThisOne {...{ ledger, what, occurrence, similar }} />}
        <Button
          label={recording}
          aria-label={`${recording} ${what}`}
          isMain={state === 'due' && !similar}
          onClick={record}
        />
        {skipOrRestore('Skip', skip)}
      </div>
    </div>
  )
}

/** The transaction that may be an occurrence. */
const similarTo = (ledger: Ledger, { possible_key }: Occurrence): LedgerTransaction | undefined =>
  possible_key === null ? undefined : ledger.transaction(possible_key)

type ThisOneProps = { ledger: Ledger; what: string; occurrence: Occurrence; similar: LedgerTransaction }

/** Makes the transaction that may be an occurrence the occurrence. Both have to be sent before. */
function ThisOne({ ledger, what, occurrence: { recurring_id, occurrence_date }, similar }: ThisOneProps) {
  if (recurring_id === null || similar.id === null) return null
  const occurrence = { recurring_id, occurrence_date }
  const link = async () => {
    await linkOccurrence(ledger, occurrence, similar.id)
    say(`${what} is ${inWords(similar)}.`, async () => {
      await linkOccurrence(ledger, occurrence, null)
      say('Undone.')
    })
  }
  return <Form submit="It is this one" name={`It is this one: ${inWords(similar)}`} onSubmit={link} />
}

function Rules({ rules, onChoose }: { rules: LedgerRecurring[]; onChoose: (rule: LedgerRecurring) => void }) {
  // Those that have ended come last.
  const inOrder = rules.toSorted((a, b) => Number(hasEnded(a)) - Number(hasEnded(b)))
  const wanted = place.get().searchParams.get('rule')
  const isWanted = ({ id, key }: LedgerRecurring) => wanted === key || wanted === String(id)
  const row = useRef<HTMLButtonElement>(null)
  // Later than the page, which puts the focus on its heading.
  useEffect(() => row.current?.focus(), [])
  return (
    <article class="list">
      <h2>All that repeat</h2>
      {inOrder.map((rule) => (
        <button
          key={rule.key}
          ref={isWanted(rule) ? row : undefined}
          type="button"
          class="row"
          aria-current={isWanted(rule)}
          onClick={() => onChoose(rule)}
        >
          <BadgeOf rule={rule} />
          <span>
            <span>
              <bdi>{titleOfRule(rule)}</bdi> <Waits of={rule} />
            </span>
            <small>{dotted(repeatsText(rule.rrule), wayOfRule(rule))}</small>
            <small>{nextText(rule)}</small>
          </span>
          <Amount class={rule.type} text={amountOf(rule, rule.amount)} />
        </button>
      ))}
    </article>
  )
}

const hasEnded = ({ next, paused }: LedgerRecurring): boolean => next === null && !paused

function nextText(rule: LedgerRecurring): string {
  if (rule.paused) return 'Paused'
  return rule.next ? `Next on ${shortDay(rule.next)}` : 'Ended'
}

const scopes: Options = [
  ['one', 'Only this one'],
  ['following', 'This and all that follow'],
]

/** Changes one occurrence, or all from it on. */
function OccurrenceDialog({
  ledger,
  rule,
  occurrence,
  onDone,
}: Chosen & { ledger: Ledger; onDone: () => void }) {
  const [scope, setScope] = useState('one')
  const dialog = useRef<HTMLDialogElement>(null)
  const { occurrence_date: date, transaction_date, amount } = occurrence
  const exception = rule.exceptions[date]
  const opened = { amount, description: exception?.description ?? rule.description ?? '' }
  const save = async (entries: Entries) => {
    const before = scope === 'one' ? opened : { amount: rule.amount, description: rule.description ?? '' }
    const entered = {
      amount: typedAmount(entries.amount ?? '').amount,
      description: entries.description ?? '',
    }
    const changes = Object.fromEntries(
      Object.entries(entered).filter(([name, value]) => value !== before[name as keyof typeof before]),
    )
    const moved =
      entries.transaction_date !== transaction_date ? { transaction_date: entries.transaction_date } : {}
    const write = async () => {
      if (scope === 'one') return ledger.changeOccurrence(rule.key, date, { ...changes, ...moved })
      if (Object.keys(changes).length > 0) await ledger.changeFollowing(rule.key, date, changes)
    }
    await writeAndSay<unknown>(ledger, write, 'The change is saved.')
    dialog.current?.close()
  }
  return (
    <Dialog title={`${titleOfRule(rule)} of ${shortDay(date)}`} {...{ dialog, onDone }}>
      <Form submit="Save" onSubmit={save}>
        <AmountField label="Amount" name="amount" value={amount} required autofocus />
        <Field label="Description" name="description" value={opened.description} maxLength={255} />
        {scope === 'one' && (
          <Field
            label="Date"
            name="transaction_date"
            type="date"
            value={transaction_date}
            {...dates}
            required
          />
        )}
        <Segments label="Change" name="scope" value={scope} options={scopes} onChoose={setScope} />
      </Form>
    </Dialog>
  )
}
