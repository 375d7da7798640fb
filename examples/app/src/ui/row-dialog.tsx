import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Entered, Key, Ledger, LedgerFields, WriteOptions } from 'purse-client'
import { keepOrder } from '../order.ts'
import { nameOf, shownFields } from '../titles.ts'
import { Dialog } from './dialog.tsx'
import { type Entries, entriesOf, Form } from './form.tsx'
import { writeAndSay } from './toast.tsx'

type Noun = 'account' | 'category' | 'transaction' | 'balance_check' | 'recurring'
/** A row to edit, or a new one. */
export type Edited<Row> = Row | 'new'
export type DialogProps<Row> = { ledger: Ledger; edited: Edited<Row>; onDone: () => void }

type Props<N extends Noun> = DialogProps<{ key: Key; name?: string }> & {
  noun: N
  read: (entries: Entries) => Entered[N]
  /** A reason not to save the row. The person may save it all the same. */
  doubt?: (entries: Entries, entered: Entered[N]) => string | undefined
  onSaved?: (key: Key, entries: Entries) => void
  onInput?: (event: Event) => void
  /** What is said before the row is deleted. */
  removal?: ComponentChildren
  children: ComponentChildren
}

const removals = {
  account: 'Delete',
  category: 'Delete, and leave its transactions uncategorized',
  transaction: 'Delete',
  balance_check: 'Delete',
  recurring: 'Delete',
}

const names: Partial<Record<Noun, string>> = {
  balance_check: 'balance check',
  recurring: 'recurring transaction',
}

/** What is pressed once it was said what goes with the row. */
const surely = { ...removals, account: 'Delete all of this', category: 'Delete the category' }

/** A dialog that adds, changes or deletes a row. */
export function RowDialog<N extends Noun>({ ledger, noun, edited, read, onDone, ...props }: Props<N>) {
  const [doubt, setDoubt] = useState<string>()
  const [isAsking, setAsking] = useState(false)
  const dialog = useRef<HTMLDialogElement>(null)
  const opened = useRef<Entries>({})
  useLayoutEffect(() => {
    opened.current = entriesOf(dialog.current?.querySelector('form'))
  }, [])
  const name = names[noun] ?? noun
  const [row, title] = edited === 'new' ? [null, `Add ${name}`] : [edited, `Change ${name}`]
  const isRemoving = useRef(false)
  const isGone = row !== null && !isRemoving.current && !isThere(ledger, noun, row)
  const changed = isGone ? null : row

  const finish = async <T,>(write: (options?: WriteOptions) => Promise<T>, how: string, change: string) => {
    const result = await writeAndSay(ledger, write, `The ${name} is ${how}.`, change)
    dialog.current?.close()
    return result
  }
  const save = async (entries: Entries) => {
    const entered = read(entries)
    const found = doubt ? undefined : props.doubt?.(entries, entered)
    setDoubt(found)
    if (found) return false
    // Only what the person has changed: the rest may have been changed elsewhere since.
    const before: Record<string, unknown> = read(opened.current)
    const edits = Object.entries(entered).filter(([name, value]) => value !== before[name])
    const changes = Object.fromEntries(edits) as Partial<Entered[N]>
    const shown = (fields: object) => shownFields(ledger, fields as LedgerFields)
    const add = (options?: WriteOptions) => ledger.create(noun, entered, options)
    const key = changed?.key ?? (await finish(add, 'added', `This adds ${shown(entered)}.`))
    const change = (options?: WriteOptions) => ledger.update(noun, key, changes, options)
    if (changed && edits.length > 0)
      await finish(change, 'changed', `This changes ${titleOf(changed)}: ${shown(changes)}.`)
    dialog.current?.close()
    props.onSaved?.(key, entries)
  }
  const titleOf = ({ key, name }: { key: Key; name?: string }) => name ?? nameOf(ledger, { noun, key })
  const remove = async (row: { key: Key; name?: string }) => {
    const { key } = row
    if (props.removal && !isAsking) {
      setAsking(true)
      return false
    }
    isRemoving.current = true
    if (noun === 'account' || noun === 'category') keepOrder(ledger, noun)
    return finish((options) => ledger.remove(noun, key, options), 'deleted', `This deletes ${titleOf(row)}.`)
  }
  return (
    <Dialog {...{ title, dialog, onDone }}>
      <Form
        submit={doubt ? 'Save it anyway' : 'Save'}
        onSubmit={save}
        onInput={(event) => {
          setDoubt(undefined)
          props.onInput?.(event)
        }}
      >
        {props.children}
        {isGone && <p role="alert">{`This ${name} was deleted elsewhere. Save it to add it again.`}</p>}
        {doubt && <p role="alert">{doubt}</p>}
      </Form>
      {changed && (
        <Form
          submit={isAsking ? surely[noun] : props.removal ? 'Delete …' : removals[noun]}
          look="outline danger"
          onSubmit={() => remove(changed)}
        >
          {isAsking && props.removal}
        </Form>
      )}
    </Dialog>
  )
}

/** False once the row has been deleted elsewhere. */
function isThere(ledger: Ledger, noun: Noun, { key, name }: { key: Key; name?: string }): boolean {
  if (noun === 'transaction') return ledger.transaction(key) !== undefined
  if (noun === 'balance_check') return ledger.check(key) !== undefined
  if (noun === 'recurring') return ledger.recurring().some((one) => one.key === key)
  // A row that was restored has another key.
  const rows = noun === 'account' ? ledger.accounts() : ledger.categories()
  return rows.some((one) => one.key === key || one.name === name)
}
