import { useId, useRef } from 'preact/hooks'
import { ApiError, LedgerError, type WriteOptions } from 'purse-client'
import { observable, useFollowed } from '../store.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'

type Question = { refusal: string; change: string; answer: (isSure: boolean) => void }
const question = observable<Question | undefined>(undefined)

/**
 * Writes and, if that would change a reconciled period, asks whether to do it all the same; `change` says in a sentence
 * what that is. Throws the refusal if not.
 */
export async function writeOrAsk<T>(
  write: (options?: WriteOptions) => Promise<T>,
  change: string,
): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (!(error instanceof LedgerError || error instanceof ApiError) || !error.reconciledThrough) throw error
    const refusal = Object.values(error.errors).flat().join(' ')
    if (await confirmOverride({ refusal, change })) return write({ override_reconciled: true })
    throw new LedgerError(refusal, error.errors, error.reconciledThrough)
  }
}

/** Asks whether a reconciled period is to be changed. */
export const confirmOverride = (asked: Omit<Question, 'answer'>): Promise<boolean> =>
  new Promise((answer) => question.set({ ...asked, answer }))

/** The dialog that asks. Whatever closes it but its second button leaves all as it is. */
export function OverrideDialog() {
  const asked = useFollowed(question).get()
  const dialog = useRef<HTMLDialogElement>(null)
  const textId = useId()
  if (!asked) return null
  const answer = () => {
    question.set(undefined)
    asked.answer(dialog.current?.returnValue === 'sure')
  }
  return (
    <Dialog title="Reconciled period" dialog={dialog} onDone={answer}>
      <div id={textId}>
        <p>{asked.refusal}</p>
        <p>{asked.change}</p>
        <p>Its balance check turns red if it does not match the bank then, and names this change.</p>
      </div>
      <div class="together">
        <Button label="Cancel" aria-describedby={textId} autofocus onClick={() => dialog.current?.close()} />
        <Button label="Do it anyway" class="outline danger" onClick={() => dialog.current?.close('sure')} />
      </div>
    </Dialog>
  )
}
