import { useState } from 'preact/hooks'
import type { Entered, Ledger, LedgerRecurring } from 'purse-client'
import { typedAmount } from '../amounts.ts'
import { counted, shortDay, today } from '../format.ts'
import { joinRule, repeats, repeatsText, splitRule } from '../repeats.ts'
import { rowsOf } from '../ui/charts.tsx'
import {
  AmountField,
  accountOptions,
  Choice,
  doubtfulAmount,
  type Entries,
  entriesOf,
  Field,
  type Options,
  Segments,
} from '../ui/form.tsx'
import { type DialogProps, RowDialog } from '../ui/row-dialog.tsx'
import { categoryGroups, dates, types } from './transaction-dialog.tsx'

type Type = LedgerRecurring['type']
type New = Entered['recurring']

const weekends: Options = [
  ['keep', 'Stays on the weekend'],
  ['before', 'Moves to Friday'],
  ['after', 'Moves to Monday'],
]

/** By how many percent an amount may vary; one that records itself may not. */
const tolerances: Options = [
  ['0', 'Not at all'],
  ['5', 'By 5 %'],
  ['10', 'By 10 %'],
  ['25', 'By 25 %'],
  ['50', 'By 50 %'],
]

/** When an email reminds of it. */
const remindDays: Options = [
  ['', 'Never'],
  ['0', 'On its day'],
  ...Array.from({ length: 14 }, (_, nth) => [`${nth + 1}`, `${counted(nth + 1, 'day')} before`] as const),
]

/** Adds, changes or deletes a transaction that repeats; shows its next days while it is typed. */
export function RecurringDialog({ ledger, edited, onDone }: DialogProps<LedgerRecurring>) {
  const row = edited === 'new' ? undefined : edited
  const now = today(ledger.profile()?.timezone)
  const [type, setType] = useState<Type>(row?.type ?? 'expense')
  const { base, until } = splitRule(row?.rrule ?? 'FREQ=MONTHLY')
  const [isAuto, setAuto] = useState(row?.auto_record ?? false)
  const tolerance = String(row?.amount_tolerance ?? 0)
  const reminders = String(row?.remind_days ?? '')
  const startsOn = row?.starts_on ?? now
  const [next, setNext] = useState(nextText(ledger, row ?? { starts_on: startsOn, rrule: base }))
  const accounts = accountOptions(ledger)
  const possible = types.filter(([one]) => one !== 'transfer' || accounts.length > 1 || row?.type === one)
  const known = repeats.some(([one]) => one === base)
  const follow = ({ target }: Event) => {
    const { form } = target as HTMLInputElement
    if (form) setNext(nextText(ledger, read(entriesOf(form))))
  }
  return (
    <RowDialog
      noun="recurring"
      {...{ ledger, edited, onDone, read }}
      doubt={({ amount }) => doubtfulAmount(amount)}
      onInput={follow}
      removal={row && <p>Its transactions stay.</p>}
    >
      <Segments
        label="Type"
        name="type"
        value={type}
        options={possible}
        onChoose={(one) => setType(one as Type)}
      />
      <AmountField label="Amount" name="amount" value={row?.amount} required autofocus />
      <Field label="Description" name="description" value={row?.description} maxLength={255} />
      {type !== 'transfer' && (
        <Choice
          {...{ label: 'Category', name: 'category_id', value: row?.category?.key, required: true }}
          options={[['', 'Choose one']]}
          groups={categoryGroups(ledger, type)}
        />
      )}
      <Choice
        {...{ name: 'account_id', value: row?.account.key, options: accounts, required: true }}
        label={type === 'transfer' ? 'From' : 'Account'}
      />
      {type === 'transfer' && (
        <Choice
          {...{ label: 'To', name: 'to_account_id', options: accounts, required: true }}
          value={row?.to_account?.key ?? accounts[1]?.[0]}
        />
      )}
      <Field label="First on" name="starts_on" type="date" value={startsOn} {...dates} required />
      <Choice
        {...{ label: 'Repeats', name: 'repeats', value: base, hint: next }}
        options={known ? repeats : [...repeats, [base, repeatsText(base)]]}
      />
      <label>
        <input
          type="checkbox"
          name="auto_record"
          value="true"
          defaultChecked={isAuto}
          onChange={({ currentTarget }) => setAuto(currentTarget.checked)}
        />{' '}
        Record it on its day
      </label>
      <details>
        <summary>More</summary>
        {!base.includes('COUNT=') && (
          <Field label="Until" name="until" type="date" value={until} {...dates} />
        )}
        {!isAuto && (
          <Choice
            {...{ label: 'May vary', name: 'amount_tolerance', value: tolerance }}
            options={
              tolerances.some(([one]) => one === tolerance)
                ? tolerances
                : [...tolerances, [tolerance, `By ${tolerance} %`]]
            }
          />
        )}
        <Choice {...{ label: 'Remind me', name: 'remind_days', value: reminders, options: remindDays }} />
        <Choice label="On a weekend" name="weekend" value={row?.weekend} options={weekends} />
        <Field label="Reference" name="reference" value={row?.reference} maxLength={255} />
        {row && (
          <label>
            <input type="checkbox" name="paused" value="true" defaultChecked={row.paused} /> Paused
          </label>
        )}
      </details>
      {row && <a href={rowsOf({ rule: row.key })}>Its transactions</a>}
    </RowDialog>
  )
}

/** The next three days, as a hint. */
function nextText(ledger: Ledger, rule: Pick<New, 'starts_on' | 'rrule' | 'weekend'>): string {
  const days = ledger.nextDates(rule)
  return days.length > 0 ? `Next on ${days.map(shortDay).join(', ')}` : 'It has no day from today on.'
}

function read({ type, amount = '', repeats = '', until, ...others }: Entries): New {
  const { account_id = '', to_account_id = null, category_id, starts_on = '', weekend, ...rest } = others
  return {
    ...{ account_id, to_account_id, category_id: category_id || null, starts_on },
    ...{ description: rest.description ?? '', reference: rest.reference ?? '' },
    type: type as Type,
    amount: typedAmount(amount).amount,
    rrule: joinRule(repeats, until),
    weekend: weekend as NonNullable<New['weekend']>,
    amount_tolerance: Number(rest.amount_tolerance ?? 0),
    remind_days: rest.remind_days ? Number(rest.remind_days) : null,
    auto_record: rest.auto_record === 'true',
    paused: rest.paused === 'true',
  }
}
