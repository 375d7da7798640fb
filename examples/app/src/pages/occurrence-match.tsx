import { unwrap } from 'purse-client'
import { money } from '../amounts.ts'
import type { PageProps } from '../app.tsx'
import { dotted, shortDay } from '../format.ts'
import type { Match, OccurrenceMatch } from '../matches.ts'
import { occurrenceInWords, takeAs } from '../recurring.ts'
import { client } from '../session.ts'
import { titleOfRule } from '../titles.ts'
import { Movement } from '../ui/amount.tsx'
import { type Entries, Form } from '../ui/form.tsx'
import { reload } from '../ui/loaded.ts'
import { say } from '../ui/toast.tsx'

type Props = Pick<PageProps, 'ledger'> & { match: OccurrenceMatch }

/** A transaction that may be what a recurring one expects. The device may not know the rule yet. */
export function Expected({ ledger, match }: Props) {
  const { transaction, recurring_id, occurrence_date, certainty } = match
  const rule = ledger.recurring().find(({ id }) => id !== null && id === recurring_id)
  const expected = occurrenceInWords(ledger, match) ?? 'a recurring transaction'
  const amount = rule?.exceptions[occurrence_date]?.amount ?? rule?.amount ?? transaction.amount
  const isChanged =
    Math.abs(cents(amount) - cents(transaction.amount)) * 100 > cents(amount) * (rule?.amount_tolerance ?? 0)
  const accept = async ({ follows }: Entries) => {
    const undo = await takeAs(ledger, match)
    if (follows && rule)
      await ledger.changeFollowing(rule.key, occurrence_date, { amount: transaction.amount })
    await reload()
    say(
      follows ? `It is ${expected}, and ${money(transaction.amount)} from now on.` : `It is ${expected}.`,
      follows
        ? undefined
        : async () => {
            await undo()
            await reload()
            say('Undone.')
          },
    )
  }
  const json = { kind: 'occurrence' as const, transaction_id: transaction.id, recurring_id, occurrence_date }
  const reject = async () => {
    await unwrap(client.api.matches.reject.$post({ json }))
    await reload()
    say(`It is not ${expected}.`, async () => {
      await unwrap(client.api.matches.reject.$delete({ json }))
      await reload()
      say('Undone.')
    })
  }
  return (
    <article>
      <header class="line">
        <h2>{isChanged ? 'A new amount?' : 'An expected one?'}</h2>
        <small>{certainty}</small>
      </header>
      <div class="columns">
        <Side ledger={ledger} row={transaction} />
        {rule && (
          <Movement
            row={{ ...{ type: rule.type, description: titleOfRule(rule) }, amount }}
            details={[dotted(`due on ${shortDay(occurrence_date)}`, rule.account.name)]}
          />
        )}
      </div>
      <div class="together">
        <Form submit={isChanged ? 'It is this one, the amount changed' : 'It is this one'} onSubmit={accept}>
          {isChanged && (
            <label>
              <input type="checkbox" name="follows" value="true" /> Expect {money(transaction.amount)} from
              now on
            </label>
          )}
        </Form>
        <Form submit={isChanged ? 'Two payments' : 'Keep apart'} look="outline" onSubmit={reject} />
      </div>
    </article>
  )
}

const cents = (amount: string) => Number(amount.replace('.', ''))

/** One of two that may be the same. */
export function Side({ ledger, row }: Pick<PageProps, 'ledger'> & { row: Match['transactions'][number] }) {
  const known = ledger.transaction(row.id)
  const place = dotted(shortDay(row.transaction_date), known?.account.name, known?.category?.name)
  return <Movement row={row} details={[place, row.reference && `Reference ${row.reference}`]} />
}
