import { observable, useFollowed } from '../store.ts'

type Toast = { text: string; undo?: (() => Promise<unknown>) | undefined }

const shownMs = 8_000
const current = observable<Toast | null>(null)
let timer: ReturnType<typeof setTimeout> | undefined

/** Says for a while what has been done, and offers to take it back. */
export function say(text: string, undo?: Toast['undo']): void {
  current.set({ text, undo })
  clearTimeout(timer)
  timer = setTimeout(() => current.set(null), shownMs)
}

/** Where it is said. */
export function Toasts() {
  const toast = useFollowed(current).get()
  const undo = toast?.undo
  const takeBack = async () => {
    current.set(null)
    await undo?.()
  }
  return (
    <div class="toasts" role="status">
      {toast && (
        <p>
          {toast.text}
          {undo && (
            <button type="button" onClick={takeBack}>
              Undo
            </button>
          )}
        </p>
      )}
    </div>
  )
}
