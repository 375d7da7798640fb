import { observable } from './store.ts'

export const place = observable(new URL(location.href))

let visits = 0
/** Tells one visit of a page from another. */
export const visit = (): number => visits

export function go(path: string, { isReplacing = false } = {}): void {
  history[isReplacing ? 'replaceState' : 'pushState'](null, '', path)
  if (!isReplacing) visits += 1
  const isElsewhere = place.get().pathname !== location.pathname
  place.set(new URL(location.href))
  if (isElsewhere) scrollTo(0, 0)
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

addEventListener('popstate', () => {
  const dialog = document.querySelector<HTMLDialogElement>('dialog[open]')
  if (dialog || unsaved.size > 0) {
    // The page stays for now.
    history.pushState(null, '', place.get())
    return dialog ? leaveForms(() => dialog.close(), dialog) : leaveForms(() => history.back())
  }
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
