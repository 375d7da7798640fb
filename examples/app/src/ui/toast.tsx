import { observable, useFollowed } from '../store.ts'
import { Button } from './button.tsx'

type Toast = { text: string; undo?: (() => Promise<unknown>) | undefined }

const shownMs = 8_000
const current = observable<Toast | null>(null)
let timer: ReturnType<typeof setTimeout> | undefined

/** Says for a while what was done, and offers to undo it. */
export function say(text: string, undo?: Toast['undo']): void {
  current.set({ text, undo })
  clearTimeout(timer)
  timer = setTimeout(() => current.set(null), shownMs)
}

export function Toasts() {
  const { text, undo } = useFollowed(current).get() ?? {}
  const takeBack = () => {
    current.set(null)
    return undo?.()
  }
  return (
    <div class="toasts" role="status">
      {text && (
        <article class="line">
          {text} {undo && <Button label="Undo" onClick={takeBack} />}
        </article>
      )}
    </div>
  )
}
