import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Entered, Key, Ledger } from 'purse-client'
import { Button } from './button.tsx'
import { type Entries, Form } from './form.tsx'
import { say } from './toast.tsx'

type Noun = 'account' | 'transaction'
/** A row to edit, or a new one. */
export type Edited<Row> = Row | 'new'

type Props<N extends Noun> = {
  ledger: Ledger
  noun: N
  edited: Edited<{ key: Key }>
  read: (entries: Entries) => Entered[N]
  /** A reason not to add the row. The person may add it all the same. */
  doubt?: (entered: Entered[N]) => string | undefined
  onDone: () => void
  children: ComponentChildren
}

/** A dialog above the page that adds, changes or deletes a row. Escape closes it. */
export function RowDialog<N extends Noun>({ ledger, noun, edited, read, onDone, ...props }: Props<N>) {
  const [doubt, setDoubt] = useState<string>()
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => dialog.current?.showModal(), [])
  const [row, title] = edited === 'new' ? [null, `Add ${noun}`] : [edited, `Change ${noun}`]

  const finish = async (write: () => Promise<unknown>, how: string) => {
    let isChanged = false
    const end = ledger.subscribe(() => {
      isChanged = true
    })
    const written = write()
    end()
    await written
    // This returns the focus to whatever opened the dialog, if that is still there.
    dialog.current?.close()
    if (document.activeElement === document.body) document.querySelector('h1')?.focus()
    // Otherwise undo would take back something else.
    if (isChanged) say(`The ${noun} is ${how}.`, ledger.undo)
  }
  const save = async (entries: Entries) => {
    const entered = read(entries)
    if (row) return finish(() => ledger.update(noun, row.key, entered), 'changed')
    const found = doubt ? undefined : props.doubt?.(entered)
    setDoubt(found)
    if (!found) await finish(() => ledger.create(noun, entered), 'added')
  }
  const remove = row && (() => finish(() => ledger.remove(noun, row.key), 'deleted'))
  const removal = noun === 'account' ? 'Delete with its transactions' : 'Delete'
  return (
    <dialog ref={dialog} aria-label={title} onClose={onDone}>
      <article>
        <header class="line">
          <strong>{title}</strong>
          <Button label="✕" aria-label="Close" isMain={false} onClick={() => dialog.current?.close()} />
        </header>
        <Form submit={doubt ? 'Add it anyway' : 'Save'} onSubmit={save} onInput={() => setDoubt(undefined)}>
          {props.children}
          {doubt && <p role="alert">{doubt}</p>}
        </Form>
        {remove && <Form submit={removal} look="outline danger" onSubmit={remove} />}
      </article>
    </dialog>
  )
}
