import { useState } from 'preact/hooks'
import { ApiError, type Ledger, newClientId, type RecurringSuggestions, unwrap } from 'purse-client'
import { money } from '../amounts.ts'
import type { PageProps } from '../app.tsx'
import { counted } from '../format.ts'
import { lookOf } from '../looks.ts'
import { client } from '../session.ts'
import { Amount, signed } from '../ui/amount.tsx'
import { Button } from '../ui/button.tsx'
import { transferLook } from '../ui/days.tsx'
import { Choice, type Entries, Form } from '../ui/form.tsx'
import { Badge } from '../ui/icon.tsx'
import { useListItem } from '../ui/list-item.ts'
import { reload, useLoaded } from '../ui/loaded.ts'
import { say } from '../ui/toast.tsx'
import { categoryGroups } from './transaction-dialog.tsx'

type Suggestion = RecurringSuggestions['suggestions'][number]

const shownAtFirst = 3

/** What seems to repeat, to add with one press or to dismiss. Only the service finds it. */
export function Suggestions({ ledger }: Pick<PageProps, 'ledger'>) {
  const { loaded, failure } = useLoaded(() => unwrap(client.api.recurring.suggestions.$get()))
  const [isLong, setLong] = useState(false)
  const all = loaded?.suggestions ?? []
  return (
    <>
      <p role="status" class={failure ? '' : 'hidden'}>
        <small>
          {failure
            ? `Suggestions could not be loaded. ${failure.message}`
            : all.length > 0 && counted(all.length, 'suggestion')}
        </small>
      </p>
      {all.length > 0 && (
        <article class="list suggested">
          <h2>Suggestions</h2>
          {all.slice(0, isLong ? all.length : shownAtFirst).map((one) => (
            <Suggested key={one.key} {...{ ledger, suggestion: one }} />
          ))}
          {all.length > shownAtFirst && (
            <Button
              label={isLong ? 'Show fewer' : `Show all ${all.length}`}
              isMain={false}
              onClick={() => setLong(!isLong)}
            />
          )}
        </article>
      )}
    </>
  )
}

type SuggestedProps = Pick<PageProps, 'ledger'> & { suggestion: Suggestion }

function Suggested({ ledger, suggestion: { key, because, body, transaction_ids } }: SuggestedProps) {
  const { title, way, look } = wordsOf(ledger, body)
  // A press after a lost response adds nothing twice.
  const [attempt] = useState(newClientId)
  const accept = async ({ category_id = '' }: Entries) => {
    const category = ledger.categories().find((one) => one.key === category_id)?.id ?? body.category_id
    const show = () => Promise.all([ledger.sync(), reload()])
    const adding = unwrap(
      client.api.recurring.$post({
        header: { 'Idempotency-Key': attempt },
        json: { ...body, category_id: category },
      }),
    )
    const added = await adding.catch((error) => {
      // Another device has added it, or changed its payments.
      if (error instanceof ApiError && error.errors.link_past) return undefined
      throw error
    })
    await show()
    if (!added) return say(`${title} is no longer suggested, since its payments have changed.`)
    say(`${title} is added, with ${counted(transaction_ids.length, 'transaction')}.`, async () => {
      await unwrap(client.api.recurring[':id'].$delete({ param: { id: added.id } }))
      await show()
      say('Undone.')
    })
  }
  const dismiss = async () => {
    await unwrap(client.api.recurring.suggestions.dismiss.$post({ json: { key } }))
    await reload()
    say(`${title} is not suggested again.`)
  }
  const isFiled = body.type === 'transfer' || body.category_id !== null
  return (
    <div class="line" {...useListItem(title)}>
      <div class="row">
        <Badge {...look} />
        <span>
          <bdi>{title}</bdi>
          <small class="whole">{inReadableAmounts(because)}</small>
          <small>{way}</small>
        </span>
        <Amount class={body.type} text={body.type === 'transfer' ? money(body.amount) : signed(body)} />
      </div>
      <div class="together">
        <Form submit="Add" name={`Add ${title}`} onSubmit={accept}>
          {!isFiled && (
            <Choice
              {...{ label: 'Category', name: 'category_id', required: true }}
              options={[['', 'Choose one']]}
              groups={categoryGroups(ledger, body.type)}
            />
          )}
        </Form>
        <Form submit="Dismiss" name={`Dismiss ${title}`} look="outline" onSubmit={dismiss} />
      </div>
    </div>
  )
}

/** How a suggested rule is shown; the device may not know all that it names. */
function wordsOf(
  ledger: Ledger,
  { type, account_id, to_account_id, category_id, description }: Suggestion['body'],
) {
  const nameOf = (id: number | null) =>
    ledger.accounts().find((one) => one.id !== null && one.id === id)?.name
  const category = ledger.categories().find((one) => one.id !== null && one.id === category_id) ?? null
  const [from, to] = [nameOf(account_id), nameOf(to_account_id)]
  const isTransfer = type === 'transfer'
  return {
    title: description ?? category?.name ?? (isTransfer ? 'Transfer' : 'Uncategorized'),
    way: from && to ? `${from} → ${to}` : from,
    look: isTransfer ? transferLook : lookOf(category),
  }
}

/** A text of the service with its amounts as they are shown everywhere. */
const inReadableAmounts = (text: string): string => text.replace(/\d+\.\d\d\b/g, money)
