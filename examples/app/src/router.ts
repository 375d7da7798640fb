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

/** Called when the person goes back: true if something was closed instead, so that the page stays. */
let onBack: (() => boolean) | undefined
export function interceptBack(close: () => boolean): () => void {
  onBack = close
  return () => {
    if (onBack === close) onBack = undefined
  }
}

addEventListener('popstate', () => {
  if (onBack?.()) return history.pushState(null, '', place.get())
  visits += 1
  place.set(new URL(location.href))
})

document.addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest('a') : null
  const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey
  if (!link || !isPlain || link.target || link.origin !== location.origin) return
  event.preventDefault()
  go(link.href)
})
