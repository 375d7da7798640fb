import { type ComponentChildren, createContext, type TargetedSubmitEvent } from 'preact'
import { useContext, useId, useState } from 'preact/hooks'
import { ApiError, ConnectionError, LedgerError } from 'purse-client'

type FieldErrors = Record<string, string[]>
/** What a form holds, by the names of its fields. */
export type Entries = Record<string, string>

const Errors = createContext<FieldErrors>({})

type FormProps = {
  submit: string
  onSubmit: (entries: Entries, form: HTMLFormElement) => Promise<unknown>
  onInput?: () => void
  children?: ComponentChildren
  /** Beside the button. */
  actions?: ComponentChildren
  isDangerous?: boolean
}

/** A form that shows what is wrong beside its fields. */
export function Form({ submit, onSubmit, onInput, children, actions, isDangerous }: FormProps) {
  const [failure, setFailure] = useState<Failure>(none)
  const [isBusy, setBusy] = useState(false)

  async function send(event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    const form = event.currentTarget
    setBusy(true)
    setFailure(none)
    try {
      await onSubmit(Object.fromEntries(new FormData(form)) as Entries, form)
    } catch (error) {
      setFailure(failureOf(error))
    } finally {
      setBusy(false)
    }
  }

  return (
    <Errors.Provider value={failure.errors}>
      <form onSubmit={send} onInput={onInput}>
        {children}
        {failure.message && (
          <p class="error" role="alert">
            {failure.message}
          </p>
        )}
        <div class="actions">
          <button class={isDangerous ? 'danger' : 'primary'} type="submit" disabled={isBusy}>
            {submit}
          </button>
          {actions}
        </div>
      </form>
    </Errors.Provider>
  )
}

type Failure = { message: string; errors: FieldErrors }
const none: Failure = { message: '', errors: {} }

/** What went wrong, for people. Throws what nobody could have foreseen. */
export function failureOf(error: unknown): Failure {
  if (error instanceof LedgerError) return { message: error.message, errors: error.errors }
  if (error instanceof ConnectionError)
    return { message: 'This needs a network, and there seems to be none.', errors: {} }
  if (!(error instanceof ApiError)) throw error
  const wait = error.retryAfterSeconds ? ` Try again in ${error.retryAfterSeconds} seconds.` : ''
  return { message: `${error.message}${wait}`, errors: error.errors }
}

type FieldProps = {
  label: string
  name: string
  hint?: string | undefined
  value?: string | null | undefined
}
type InputProps = {
  type?: 'date' | 'email' | 'password' | 'search' | 'text' | 'time'
  inputMode?: 'decimal'
  autocomplete?: string
  placeholder?: string
  minLength?: number
  maxLength?: number
  autofocus?: boolean
  required?: boolean
}

/** A labelled input, with what is wrong about it. `value` is what it begins with. */
export function Field({ label, hint, value, type = 'text', ...input }: FieldProps & InputProps) {
  return (
    <Labelled {...{ label, hint, name: input.name }}>
      {/* Preact's types tell inputs apart by a type that is written out. */}
      {(aria) => <input {...input} {...aria} type={type as 'text'} defaultValue={value ?? ''} />}
    </Labelled>
  )
}

/** What can be chosen: values with what people read. */
export type Options = (readonly [value: string, label: string])[]

/** The same for a choice. */
export function Select({
  label,
  hint,
  value,
  options,
  ...select
}: FieldProps & { options: Options; required?: boolean }) {
  return (
    <Labelled {...{ label, hint, name: select.name }}>
      {(aria) => (
        <select {...select} {...aria}>
          {options.map(([key, text]) => (
            <option key={key} value={key} selected={key === value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  )
}

/** The choice among accounts or categories. */
export const optionsOf = (rows: { key: string; name: string }[]): Options =>
  rows.map(({ key, name }) => [key, name])

type Aria = { id: string; 'aria-invalid': boolean; 'aria-describedby': string }
type LabelledProps = Omit<FieldProps, 'value'> & { children: (aria: Aria) => ComponentChildren }

function Labelled({ label, name, hint, children }: LabelledProps) {
  const id = useId()
  const texts = useContext(Errors)[name]
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, 'aria-invalid': texts !== undefined, 'aria-describedby': `${id}-note` })}
      <small id={`${id}-note`} class={texts ? 'error' : ''}>
        {texts?.join(' ') ?? hint}
      </small>
    </div>
  )
}
