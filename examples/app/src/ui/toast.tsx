import type { Ledger, WriteOptions } from 'purse-client'
import { failureOf } from '../failure.ts'
import { observable, useFollowed } from '../store.ts'
import { Button, IconButton } from './button.tsx'
import { writeOrAsk } from './override.tsx'

type Toast = { text: string; undo?: (() => Promise<unknown>) | undefined }

const shownMs = 8_000
const toasts = observable<Toast[]>([])
const hide = (toast: Toast) => toasts.set(toasts.get().filter((one) => one !== toast))

/**
 * Shows a message for a few seconds. With `undo`, it stays until it is dismissed, and replaces earlier ones, since only
 * the last step can be undone.
 */
export function say(text: string, undo?: Toast['undo']): void {
  const toast = { text, undo }
  toasts.set([...toasts.get().filter((one) => one.undo && !undo), toast])
  if (!undo) setTimeout(() => hide(toast), shownMs)
}

type Write<T> = (options?: WriteOptions) => Promise<T>

/**
 * Writes to the ledger and says so, with an undo. `change` says what it does, in the question about a reconciled period.
 */
export async function writeAndSay<T>(ledger: Ledger, write: Write<T>, text: string, change = ''): Promise<T> {
  const [result] = (await writeAllAndSay(ledger, [write], text, change)) as [T]
  return result
}

/** Writes in several steps. The undo takes back those that changed something, since one more would be another's. */
export async function writeAllAndSay<T>(
  ledger: Ledger,
  writes: Write<T>[],
  text: string,
  change = '',
): Promise<T[]> {
  const results: T[] = []
  let steps = 0
  for (const write of writes) {
    let isChanged = false
    const watched: Write<T> = (options) => {
      const end = ledger.subscribe(() => {
        isChanged = true
      })
      const written = write(options)
      end()
      return written
    }
    results.push(await writeOrAsk(watched, change))
    if (isChanged) steps += 1
  }
  say(text, steps > 0 ? () => undoLast(ledger, steps) : undefined)
  return results
}

/** Takes back the last steps of the ledger, and says so. */
export async function undoLast(ledger: Ledger, steps = 1): Promise<void> {
  let isUndone = false
  for (let step = 0; step < steps; step++)
    isUndone = (await writeOrAsk(ledger.undo, 'This undoes your last change.')) || isUndone
  say(isUndone ? 'Undone.' : 'There is nothing to undo.')
}

/** Undoes what a message offers to undo, or else the last change. */
export async function undoNewest(ledger: Ledger): Promise<unknown> {
  const offered = toasts.get().findLast(({ undo }) => undo)
  if (!offered?.undo) return undoLast(ledger)
  hide(offered)
  return offered.undo()
}

/** Removes all messages. */
export const hush = (): void => toasts.set([])

export function Toasts() {
  const shown = useFollowed(toasts).get()
  const undo = (toast: Toast) => {
    hide(toast)
    return toast.undo?.().catch((error) => say(failureOf(error).message))
  }
  return (
    <div class="toasts" role="status">
      {shown.map((toast) => (
        <article key={toast.text} class="line">
          <span>{toast.text}</span>
          {toast.undo && <Button label="Undo" isMain={false} onClick={() => undo(toast)} />}
          <IconButton icon="cross" label="Dismiss" onClick={() => hide(toast)} />
        </article>
      ))}
    </div>
  )
}
