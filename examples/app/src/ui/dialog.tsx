import type { ComponentChildren, RefObject } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { interceptBack } from '../router.ts'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'

type Props = {
  title: string
  dialog: RefObject<HTMLDialogElement | null>
  onDone: () => void
  children: ComponentChildren
}

/** A dialog above the page. Escape, Back and ✕ close it, and ask first if something was typed. */
export function Dialog({ title, dialog, onDone, children }: Props) {
  const isTyped = useRef(false)
  const [isAsking, setAsking] = useState(false)
  useLayoutEffect(() => {
    const opener = document.activeElement
    dialog.current?.showModal()
    const stopIntercepting = interceptBack(() => {
      leave()
      return true
    })
    const warn = (event: Event) => isTyped.current && event.preventDefault()
    addEventListener('beforeunload', warn)
    return () => {
      removeEventListener('beforeunload', warn)
      stopIntercepting()
      // What opened the dialog may be gone by now.
      const heading = document.querySelector<HTMLElement>('h1')
      if (!(opener instanceof HTMLElement && opener.isConnected)) heading?.focus()
    }
  }, [])
  useLayoutEffect(() => {
    if (isAsking) dialog.current?.querySelector<HTMLElement>('.question button')?.focus()
  }, [isAsking])
  const leave = () => (isTyped.current ? setAsking(true) : dialog.current?.close())
  const leaveOn = (event: Event) => {
    event.preventDefault()
    leave()
  }
  return (
    <dialog
      ref={dialog}
      aria-label={title}
      onClose={onDone}
      onCancel={leaveOn}
      // A browser lets a second Escape close a dialog without asking.
      onKeyDown={(event) => event.key === 'Escape' && leaveOn(event)}
      onInput={() => {
        isTyped.current = true
      }}
    >
      <article>
        <header class="line">
          <strong>{title}</strong>
          <button
            type="button"
            class="plain"
            aria-label="Close"
            onClick={leave}
            children={<Icon name="cross" />}
          />
        </header>
        {isAsking && (
          <div role="alert" class="line question">
            What you typed is not saved.
            <Button label="Keep typing" onClick={() => setAsking(false)} />
            <Button label="Discard" isMain={false} onClick={() => dialog.current?.close()} />
          </div>
        )}
        {children}
      </article>
    </dialog>
  )
}
