import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Entered, Key, Ledger } from 'purse-client'
import { Button } from './button.tsx'
import { type Entries, Form } from './form.tsx'
import { say } from './toast.tsx'

type Noun = 'account' | 'category' | 'transaction'
/** A row that is edited, or a new one. */
export type Edited<Row> = Row | 'new'

type Props<N extends Noun> = {
  ledger: Ledger
  noun: N
  edited: Edited<{ key: Key }>
  read: (entries: Entries) => Entered[N]
  /** Asked before a row is added. */
  mayAdd?: (entered: Entered[N]) => boolean
  submit?: string | undefined
  onInput?: () => void
  onDone: () => void
  children: ComponentChildren
}

/** Adds, changes or deletes a row, in a dialogue above the page. Escape closes it. */
export function RowDialog<N extends Noun>({ ledger, noun, edited, read, onDone, ...props }: Props<N>) {
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => dialog.current?.showModal(), [])
  const title = `${edited === 'new' ? 'Add' : 'Change'} ${noun}`
  const done = (how: string) => {
    onDone()
    say(`The ${noun} is ${how}.`, ledger.undo)
  }
  const save = async (entries: Entries) => {
    const entered = read(entries)
    if (edited !== 'new') {
      await ledger.update(noun, edited.key, entered)
      done('changed')
    } else if (props.mayAdd?.(entered) ?? true) {
      await ledger.create(noun, entered)
      done('added')
    }
  }
  const remove = async () => {
    if (edited !== 'new') await ledger.remove(noun, edited.key)
    done('deleted')
  }
  const deletion = edited !== 'new' && <Button label="Delete" isMain={false} onClick={remove} />
  return (
    <dialog ref={dialog} aria-label={title} onClose={onDone}>
      <article>
        <header class="line">
          <strong>{title}</strong>
          <Button label="✕" aria-label="Close" isMain={false} onClick={() => dialog.current?.close()} />
        </header>
        <Form submit={props.submit ?? 'Save'} onSubmit={save} onInput={props.onInput} aside={deletion}>
          {props.children}
        </Form>
      </article>
    </dialog>
  )
}
