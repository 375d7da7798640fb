import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import type { Entered, Key, Ledger } from 'purse-client'
import { Dialog } from './dialog.tsx'
import { type Entries, Form } from './form.tsx'
import { say } from './toast.tsx'

type Noun = 'account' | 'category' | 'transaction'
/** A row to edit, or a new one. */
export type Edited<Row> = Row | 'new'

type Props<N extends Noun> = {
  ledger: Ledger
  noun: N
  edited: Edited<{ key: Key }>
  read: (entries: Entries) => Entered[N]
  /** A reason not to save the row. The person may save it all the same. */
  doubt?: (entries: Entries, entered: Entered[N]) => string | undefined
  onSaved?: (key: Key, entries: Entries) => void
  onDone: () => void
  children: ComponentChildren
}

const removals = {
  account: 'Delete with its transactions',
  category: 'Delete, and leave its transactions uncategorized',
  transaction: 'Delete',
}

/** A dialog that adds, changes or deletes a row. */
export function RowDialog<N extends Noun>({ ledger, noun, edited, read, onDone, ...props }: Props<N>) {
  const [doubt, setDoubt] = useState<string>()
  const dialog = useRef<HTMLDialogElement>(null)
  const [row, title] = edited === 'new' ? [null, `Add ${noun}`] : [edited, `Change ${noun}`]

  const finish = async (write: () => Promise<unknown>, how: string) => {
    let isChanged = false
    const end = ledger.subscribe(() => {
      isChanged = true
    })
    const written = write()
    end()
    const key = await written
    dialog.current?.close()
    // Otherwise undo would take back something else.
    if (isChanged) say(`The ${noun} is ${how}.`, ledger.undo)
    return key as Key
  }
  const save = async (entries: Entries) => {
    const entered = read(entries)
    const found = doubt ? undefined : props.doubt?.(entries, entered)
    setDoubt(found)
    if (found) return false
    const key = row
      ? await finish(() => ledger.update(noun, row.key, entered).then(() => row.key), 'changed')
      : await finish(() => ledger.create(noun, entered), 'added')
    props.onSaved?.(key, entries)
  }
  const remove = row && (() => finish(() => ledger.remove(noun, row.key), 'deleted'))
  return (
    <Dialog {...{ title, dialog, onDone }}>
      <Form submit={doubt ? 'Save it anyway' : 'Save'} onSubmit={save} onInput={() => setDoubt(undefined)}>
        {props.children}
        {doubt && <p role="alert">{doubt}</p>}
      </Form>
      {remove && <Form submit={removals[noun]} look="outline danger" onSubmit={remove} />}
    </Dialog>
  )
}
