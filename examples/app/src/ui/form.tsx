import type {
  ComponentChildren,
  LooseInputHTMLAttributes,
  TargetedInputEvent,
  TargetedSubmitEvent,
} from 'preact'
import { createContext } from 'preact'
import { useContext, useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { money, plainMoney, typedAmount } from '../amounts.ts'
import { besides, failureOf, none } from '../failure.ts'
import { unsaved } from '../router.ts'
import { session } from '../session.ts'
import { Button } from './button.tsx'

const Failed = createContext(none)

export type Entries = Record<string, string>

export const entriesOf = (form: HTMLFormElement | null | undefined) =>
  Object.fromEntries(new FormData(form ?? undefined)) as Entries

type FormProps = {
  submit: string
  look?: 'outline' | 'outline danger'
  /** Resolves to false if what was typed is not saved yet. */
  onSubmit: (entries: Entries) => Promise<unknown>
  onInput?: (event: Event) => void
  isDisabled?: boolean
  children?: ComponentChildren
}

/**
 * A form that shows errors beside its fields, and moves the focus to the first of them. It asks before what was typed
 * is lost.
 */
export function Form({ submit, look, onSubmit, onInput, isDisabled, children }: FormProps) {
  const form = useRef<HTMLFormElement>(null)
  const [failure, setFailure] = useState(none)
  const [isBusy, setBusy] = useState(false)
  const [discard, setDiscard] = useState<() => void>()
  const send = async (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const { currentTarget: form } = event
    if (isBusy) return
    setBusy(true)
    setDiscard(undefined)
    const submit = async () => {
      const result = await onSubmit(entriesOf(form))
      if (result !== false) unsaved.delete(form)
      return none
    }
    setFailure(await submit().catch(failureOf))
    setBusy(false)
  }
  const follow = (event: TargetedInputEvent<HTMLFormElement>) => {
    const { currentTarget: form, target } = event
    // Browsers fill in passwords, and a person who has yet to sign in loses little.
    const isKept = session.get() && !(target instanceof HTMLInputElement && target.type === 'password')
    if (isKept) unsaved.set(form, (leave) => setDiscard(() => leave))
    onInput?.(event)
  }
  const focus = (selector: string) => form.current?.querySelector<HTMLElement>(selector)?.focus()
  useLayoutEffect(() => focus('[aria-invalid]'), [failure])
  // Later, since the browser scrolls when the person goes back.
  useEffect(() => focus('.question button'), [discard])
  useLayoutEffect(() => {
    const { current } = form
    return () => void (current && unsaved.delete(current))
  }, [])
  const said = besides(failure, form.current).join('\n')
  return (
    <Failed.Provider value={failure}>
      <form ref={form} onSubmit={send} onInput={follow}>
        {discard && (
          <div role="alert" class="line question">
            What you entered is not saved.
            <Button label="Keep typing" onClick={() => setDiscard(undefined)} />
            <Button label="Discard" isMain={false} onClick={discard} />
          </div>
        )}
        {children}
        {said && <p role="alert">{said}</p>}
        <Button type="submit" label={submit} class={look} disabled={isDisabled} aria-busy={isBusy} />
      </form>
    </Failed.Provider>
  )
}

type FieldProps = Omit<LooseInputHTMLAttributes, 'role' | 'value'> & {
  label: string
  name: string
  /** The initial value. */
  value?: string | null | undefined
  hint?: string
}

export function Field({ label, value, hint, type, ...given }: FieldProps) {
  const id = useId()
  const texts = useContext(Failed).errors[given.name]
  return (
    <div>
      <label for={id}>{label}</label>
      {/* Preact's types tell inputs apart by a type that is written out. */}
      <input
        {...given}
        id={id}
        type={type as 'email'}
        defaultValue={value ?? ''}
        aria-invalid={texts && true}
        aria-describedby={`${id}-hint`}
      />
      <Hint id={id} texts={texts} hint={hint} />
    </div>
  )
}

/** Shows, while an amount is typed, how it is read. */
export function AmountField({ value, ...given }: Omit<FieldProps, 'type' | 'inputMode'>) {
  const [reading, setReading] = useState('')
  const read = ({ currentTarget: { value } }: TargetedInputEvent<HTMLInputElement>) => {
    const { amount } = typedAmount(value)
    const isPlain = /^-?\d*([.,]\d{0,2})?$/.test(value) || amount === value
    setReading(isPlain ? '' : `Read as ${money(amount)}`)
  }
  const shown = value ? plainMoney(value) : ''
  return (
    <Field inputMode="decimal" {...given} value={shown} hint={reading || given.hint || ''} onInput={read} />
  )
}

/** A question about an amount that people of other countries would read in another way. */
export function doubtfulAmount(text = ''): string | undefined {
  const { amount, isCertain } = typedAmount(text)
  return isCertain ? undefined : `“${text}” is read as ${money(amount)}.`
}

type HintProps = { id: string; texts: string[] | undefined; hint: string | undefined }

const Hint = ({ id, texts, hint }: HintProps) => (
  <small id={`${id}-hint`} aria-live="polite">
    {texts ? <span role="alert">{texts.join(' ')}</span> : hint}
  </small>
)

/** The choices: values, with the texts that people read. */
export type Options = (readonly [value: string, label: string])[]

export const optionsOf = (rows: { key: string; name: string }[]): Options =>
  rows.map(({ key, name }) => [key, name])

type ChoiceProps = FieldProps & { options: Options; groups?: [label: string, options: Options][] }

/** A choice from a list; `groups` follow the options that belong to none. */
export function Choice({ label, value, options, groups = [], hint, ...given }: ChoiceProps) {
  const id = useId()
  const texts = useContext(Failed).errors[given.name]
  const choices = (some: Options) =>
    some.map(([key, text]) => <option key={key} value={key} selected={key === value} children={text} />)
  return (
    <div>
      <label for={id}>{label}</label>
      <select
        name={given.name}
        id={id}
        required={given.required}
        aria-invalid={texts && true}
        aria-describedby={`${id}-hint`}
      >
        {choices(options)}
        {groups.map(([name, some]) => (
          <optgroup key={name} label={name} children={choices(some)} />
        ))}
      </select>
      <Hint id={id} texts={texts} hint={hint} />
    </div>
  )
}

type SegmentsProps = {
  label: string
  name: string
  value: string
  options: Options
  onChoose?: (value: string) => void
}

/** A choice between a few values, all of which are shown. */
export const Segments = ({ label, name, value, options, onChoose }: SegmentsProps) => (
  <fieldset class="segments">
    <legend class="hidden">{label}</legend>
    {options.map(([one, text]) => (
      <label key={one}>
        <input
          type="radio"
          {...{ name, value: one }}
          defaultChecked={value === one}
          onChange={() => onChoose?.(one)}
        />
        {text}
      </label>
    ))}
  </fieldset>
)
