import { observable, useFollowed } from '../store.ts'
import { Button } from './button.tsx'

type Toast = { text: string; undo?: (() => Promise<unknown>) | undefined }

const shownMs = 8_000
const toasts = observable<Toast[]>([])
const hide = (toast: Toast) => toasts.set(toasts.get().filter((one) => one !== toast))

/** Shows a message for a few seconds. With `undo`, it replaces earlier ones, since only the last step can be undone. */
export function say(text: string, undo?: Toast['undo']): void {
  const toast = { text, undo }
  toasts.set([...toasts.get().filter((one) => one.undo && !undo), toast])
  setTimeout(() => hide(toast), shownMs)
}

/** Removes all messages. */
export const hush = (): void => toasts.set([])

export function Toasts() {
  return (
    <div class="toasts" role="status">
      {useFollowed(toasts)
        .get()
        .map((toast) => (
          <article key={toast.text} class="line">
            {toast.text}
            {toast.undo && (
              <Button
                label="Undo"
                isMain={false}
                onClick={() => {
                  hide(toast)
                  return toast.undo?.()
                }}
              />
            )}
          </article>
        ))}
    </div>
  )
}
