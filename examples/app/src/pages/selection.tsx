import { useRef, useState } from 'preact/hooks'
import type { Ledger, LedgerTransaction, WriteOptions } from 'purse-client'
import { money } from '../amounts.ts'
import { counted, grouped } from '../format.ts'
import { shownFields } from '../titles.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { accountOptions, Choice, type Entries, Field, Form } from '../ui/form.tsx'
import { writeAllAndSay } from '../ui/toast.tsx'
import { categoryGroups, dates } from './transaction-dialog.tsx'

type Props = { ledger: Ledger; keys: Set<string>; total: number; onAll: () => void; onDone: () => void }

/** What can be done to the transactions that are selected. */
export function Selection({ ledger, keys, total, onAll, onDone }: Props) {
  const [opened, setOpened] = useState<'change' | 'delete'>()
  const rows = [...keys].flatMap((key) => ledger.transaction(key) ?? [])
  const isNone = rows.length === 0
  const close = () => setOpened(undefined)
  return (
    <article class="selection line">
      <span role="status">{grouped(rows.length)} selected</span>
      <Button
        label={`Select all ${grouped(total)}`}
        isMain={false}
        onClick={onAll}
        disabled={rows.length === total}
      />
      <span class="together">
        <Button label="Change …" disabled={isNone} onClick={() => setOpened('change')} />
        <Button
          label="Delete …"
          class="outline danger"
          disabled={isNone}
          onClick={() => setOpened('delete')}
        />
      </span>
      {opened === 'change' && <ChangeAll {...{ ledger, rows, onDone, onClose: close }} />}
      {opened === 'delete' && <DeleteAll {...{ ledger, rows, onDone, onClose: close }} />}
    </article>
  )
}

type DialogProps = { ledger: Ledger; rows: LedgerTransaction[]; onDone: () => void; onClose: () => void }

/** Gives the rows one category, account or date. A transfer has no category. */
function ChangeAll({ ledger, rows, onDone, onClose }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const filed = rows.filter(({ type }) => type !== 'transfer')
  const proposed = proposalFor(ledger, filed)
  const keysOf = (some: LedgerTransaction[]) => some.map(({ key }) => key)
  const change = async ({ category_id = '', account_id = '', transaction_date = '' }: Entries) => {
    const others = { ...(account_id && { account_id }), ...(transaction_date && { transaction_date }) }
    await writeAllAndSay(
      ledger,
      [
        (options) => ledger.update('transaction', keysOf(rows), others, options),
        () => ledger.update('transaction', keysOf(filed), category_id ? { category_id } : {}),
      ],
      `${counted(rows.length, 'transaction')} changed.`,
      `This changes ${counted(rows.length, 'transaction')}: ${shownFields(ledger, others)}.`,
    )
    dialog.current?.close()
    onDone()
  }
  const asItIs = ['', 'As it is'] as const
  return (
    <Dialog title={`Change ${counted(rows.length, 'transaction')}`} {...{ dialog, onDone: onClose }}>
      <Form submit={`Change ${counted(rows.length, 'transaction')}`} onSubmit={change}>
        {filed.length > 0 && (
          <Choice
            label="Category"
            name="category_id"
            value={proposed?.category.key}
            options={[asItIs]}
            groups={categoryGroups(ledger)}
            hint={proposed?.because ?? (filed.length < rows.length ? 'Transfers have none.' : '')}
          />
        )}
        <Choice label="Account" name="account_id" options={[asItIs, ...accountOptions(ledger)]} />
        <Field
          label="Date"
          name="transaction_date"
          type="date"
          {...dates}
          hint="Leave it empty to keep the dates."
        />
      </Form>
    </Dialog>
  )
}

/** The category of their payees, for rows without one that agree. */
function proposalFor(ledger: Ledger, rows: LedgerTransaction[]) {
  if (rows.some(({ category }) => category)) return undefined
  const found = rows.map(({ description, type }) => ledger.suggestCategory(description ?? '', type))
  return found.every((one) => one?.category.key === found[0]?.category.key) ? found[0] : undefined
}

function DeleteAll({ ledger, rows, onDone, onClose }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const named = counted(rows.length, 'transaction')
  const cents = rows.reduce((sum, { amount }) => sum + BigInt(amount.replace('.', '')), 0n)
  const remove = async () => {
    const keys = rows.map(({ key }) => key)
    const write = (options?: WriteOptions) => ledger.remove('transaction', keys, options)
    await writeAllAndSay(ledger, [write], `${named} deleted.`, `This deletes ${named}.`)
    dialog.current?.close()
    onDone()
  }
  return (
    <Dialog title={`Delete ${named}?`} {...{ dialog, onDone: onClose }}>
      <p>{`They move ${money(`${cents}e-2`)} in all. The balances of their accounts change.`}</p>
      <Form submit={`Delete ${named}`} look="outline danger" onSubmit={remove} />
    </Dialog>
  )
}
