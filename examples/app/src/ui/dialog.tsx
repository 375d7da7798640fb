import type { ComponentChildren, RefObject } from 'preact'
import { useLayoutEffect } from 'preact/hooks'
import { leaveForms } from '../router.ts'
import { IconButton } from './button.tsx'

type Props = {
  title: string
  dialog: RefObject<HTMLDialogElement | null>
  onDone: () => void
  children: ComponentChildren
}

/** A dialog above the page. Escape, Back and ✕ close it, and ask first if something was typed. */
export function Dialog({ title, dialog, onDone, children }: Props) {
  useLayoutEffect(() => {
    const opener = document.activeElement
    dialog.current?.showModal()
    // Typing replaces what is there, in place of being inserted before it.
    if (document.activeElement instanceof HTMLInputElement) document.activeElement.select()
    return () => {
      // What opened the dialog may be gone by now.
      const heading = document.querySelector<HTMLElement>('h1')
      if (!(opener instanceof HTMLElement && opener.isConnected)) heading?.focus()
    }
  }, [])
  const leave = (event: Event) => {
    event.preventDefault()
    leaveForms(() => dialog.current?.close(), dialog.current ?? undefined)
  }
  return (
    <dialog
      ref={dialog}
      aria-label={title}
      onClose={onDone}
      onCancel={leave}
      // A browser lets a second Escape close a dialog without asking.
      onKeyDown={(event) => event.key === 'Escape' && leave(event)}
    >
      <article>
        <header class="line">
          <strong>{title}</strong>
          <IconButton icon="cross" label="Close" onClick={leave} />
        </header>
        {children}
      </article>
    </dialog>
  )
}
