import { useState } from 'preact/hooks'
import { observable } from './store.ts'

export const place = observable(new URL(location.href))

let visits = 0
/** Tells one visit of a page from another. */
export const visit = (): number => visits

/** What is kept of a page with its entry in the history, so that Back shows the same again. */
let kept: Record<string, unknown> = history.state ?? {}
function keep(more: Record<string, unknown>): void {
  kept = { ...kept, ...more }
  history.replaceState(kept, '')
}

/** Like `useState`, for a value that Back and a reload bring back. */
export function useKept<T>(name: string, initial: T): [T, (value: T) => void] {
  const [value, setValue] = useState((kept[name] as T | undefined) ?? initial)
  const set = (next: T) => {
    keep({ [name]: next })
    setValue(next)
  }
  return [value, set]
}

// Browsers would scroll before the page is there.
history.scrollRestoration = 'manual'
let isShown = false
const keepScroll = () => isShown && keep({ scroll: scrollY })
addEventListener('scrollend', keepScroll)

/** Scrolls a page that has just been shown to where it was when the person left it. */
export function showAgain(): void {
  scrollTo(0, Number(kept.scroll ?? 0))
  isShown = true
}

let focusNext = ''
/** Finds what is to have the focus on a page that has just been shown, if not its heading. */
export function wantedFocus(): HTMLElement | null {
  const found = focusNext ? document.querySelector<HTMLElement>(focusNext) : null
  focusNext = ''
  return found
}

/** Shows another page; `focus` selects what has the focus then. */
export function go(path: string, { isReplacing = false, focus = '' } = {}): void {
  focusNext = focus
  keepScroll()
  if (isReplacing) history.replaceState(kept, '', path)
  else {
    kept = {}
    isShown = false
    visits += 1
    history.pushState(kept, '', path)
  }
  place.set(new URL(location.href))
}

/** Asks whether to discard what was typed, and calls `leave` if so. */
type Ask = (leave: () => void) => void
/** The forms in which something was typed that is not saved. */
export const unsaved = new Map<HTMLFormElement, Ask>()

/** Calls `leave` once no unsaved form is left, in the document or in a part of it. */
export function leaveForms(leave: () => void, within: Node = document): void {
  const [form, ask] = [...unsaved].find(([one]) => within.contains(one)) ?? []
  if (form && ask)
    ask(() => {
      unsaved.delete(form)
      leaveForms(leave, within)
    })
  else leave()
}

addEventListener('beforeunload', (event) => unsaved.size > 0 && event.preventDefault())

addEventListener('popstate', ({ state }) => {
  const dialog = document.querySelector<HTMLDialogElement>('dialog[open]')
  if (dialog || unsaved.size > 0) {
    // The page stays for now.
    history.pushState(kept, '', place.get())
    return dialog ? leaveForms(() => dialog.close(), dialog) : leaveForms(() => history.back())
  }
  kept = state ?? {}
  isShown = false
  visits += 1
  place.set(new URL(location.href))
})

document.addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest('a') : null
  const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey
  if (!link || !isPlain || link.target || link.origin !== location.origin) return
  event.preventDefault()
  leaveForms(() => go(link.href))
})
