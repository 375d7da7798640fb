import { type ComponentChildren, createContext, type LooseInputHTMLAttributes } from 'preact'
import { useContext, useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Ledger } from 'purse-client'
import { openFirst } from '../accounts.ts'
import { money, plainMoney, typedAmount } from '../amounts.ts'
import { besides, failureOf, none } from '../failure.ts'
import { unsaved } from '../router.ts'
import { session } from '../session.ts'
import { Button } from './button.tsx'
import { say } from './toast.tsx'

const Failed = createContext(none)

export type Entries = Record<string, string>

export const entriesOf = (form: HTMLFormElement | null | undefined) =>
  Object.fromEntries(new FormData(form ?? undefined)) as Entries

type FormProps = {
  submit: string
  /** The name of the button where several have the same text. */
  name?: string
  look?: 'outline' | 'outline danger'
  /** Resolves to false if what was typed is not saved yet. */
  onSubmit: (entries: Entries) => Promise<unknown>
  onInput?: (event: Event) => void
  isDisabled?: boolean
  /** Empties the form once it is saved. */
  isCleared?: boolean
  children?: ComponentChildren
}

/**
 * A form that shows errors beside its fields, and moves the focus to the first of them. It asks before what was typed
 * is lost.
 */
export function Form({ submit, name, look, onSubmit, onInput, isDisabled, isCleared, children }: FormProps) {
  const element = useRef<HTMLFormElement>(null)
  const [failure, setFailure] = useState(none)
  const [isBusy, setBusy] = useState(false)
  const [discard, setDiscard] = useState<() => void>()
  const send = async (event: Event) => {
    event.preventDefault()
    const { current: form } = element
    if (!form || isBusy) return
    setBusy(true)
    setFailure(none)
    setDiscard(undefined)
    const typed = unsaved.get(form)
    const submit = async () => {
      const isSaved = (await onSubmit(entriesOf(form))) !== false
      // What was typed meanwhile is not saved.
      if (isSaved && unsaved.get(form) === typed) {
        unsaved.delete(form)
        if (isCleared) form.reset()
      }
      return none
    }
    const failure = await submit().catch(failureOf)
    // The person has left the form, which can no longer show it.
    if (!form.isConnected && failure !== none) say(besides(failure, null).join(' '))
    setFailure(failure)
    setBusy(false)
  }
  const follow = (event: Event) => {
    const { current: form } = element
    // Browsers fill in passwords, and a person who has yet to sign in loses little.
    const isPassword = event.target instanceof HTMLInputElement && event.target.type === 'password'
    if (form && session.get() && !isPassword) unsaved.set(form, (leave) => setDiscard(() => leave))
    onInput?.(event)
  }
  const focus = (selector: string) => element.current?.querySelector<HTMLElement>(selector)?.focus()
  useLayoutEffect(() => focus('[aria-invalid]'), [failure])
  // Later, since the browser scrolls when the person goes back.
  useEffect(() => {
    if (discard) focus(':scope > .question button')
  }, [discard])
  // The person wanted to leave while the form was being saved.
  useLayoutEffect(() => {
    if (discard && element.current && !unsaved.has(element.current)) discard()
  }, [isBusy])
  useLayoutEffect(() => {
    const { current } = element
    return () => void (current && unsaved.delete(current))
  }, [])
  const said = besides(failure, element.current).join('\n')
  return (
    <Failed.Provider value={failure}>
      <form ref={element} onSubmit={send} onInput={follow}>
        {discard && (
          <div role="alert" class="line question">
            What you entered is not saved.
            <span class="together">
              <Button label="Keep typing" onClick={() => setDiscard(undefined)} />
              <Button label="Discard" isMain={false} onClick={discard} />
            </span>
          </div>
        )}
        {children}
        {said && <p role="alert">{said}</p>}
        <Button
          type="submit"
          label={submit}
          aria-label={name}
          class={look}
          disabled={isDisabled}
          aria-busy={isBusy}
        />
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
  const { described, surround } = useLabel(label, given.name, hint)
  const [isShown, setShown] = useState(false)
  // Preact's types tell inputs apart by a type that is written out.
  const input = (type: unknown) => (
    <input {...given} {...described} type={type as 'email'} defaultValue={value ?? ''} />
  )
  if (type !== 'password') return surround(input(type))
  return surround(
    <div class="secret">
      {input(isShown ? 'text' : type)}
      <button type="button" class="plain" aria-pressed={isShown} onClick={() => setShown(!isShown)}>
        {isShown ? 'Hide' : 'Show'}
        <span class="hidden"> password</span>
      </button>
    </div>,
  )
}

/** Surrounds an input with its label, and with its errors or else a hint. */
function useLabel(label: string, name: string, hint: string | undefined) {
  const id = useId()
  const texts = useContext(Failed).errors[name]
  const surround = (input: ComponentChildren) => (
    <div>
      <label for={id}>{label}</label>
      {input}
      <small id={`${id}-hint`} aria-live="polite">
        {texts ? <span role="alert">{texts.join(' ')}</span> : hint}
      </small>
    </div>
  )
  return { described: { id, 'aria-invalid': texts && true, 'aria-describedby': `${id}-hint` }, surround }
}

/** Shows, while an amount is typed, how it is read. */
export function AmountField({ value, ...given }: Omit<FieldProps, 'type' | 'inputMode'>) {
  const [reading, setReading] = useState('')
  const read = (value: string) => {
    const { amount } = typedAmount(value)
    const isPlain = /^-?\d*([.,]\d{0,2})?$/.test(value) || amount === value.replace(',', '.')
    setReading(isPlain ? '' : `Read as ${money(amount)}`)
  }
  const shown = value ? plainMoney(value) : ''
  return (
    <Field
      inputMode="decimal"
      {...given}
      value={shown}
      hint={reading || given.hint || ''}
      onInput={({ currentTarget }) => read(currentTarget.value)}
    />
  )
}

/** A question about an amount that people of other countries would read in another way. */
export function doubtfulAmount(text = ''): string | undefined {
  const { amount, isCertain } = typedAmount(text)
  return isCertain ? undefined : `“${text}” is read as ${money(amount)}.`
}

/** The choices: values, with the texts that people read. */
export type Options = (readonly [value: string, label: string])[]

export const optionsOf = (rows: { key: string; name: string }[]): Options =>
  rows.map(({ key, name }) => [key, name])

/** Accounts as options, those that are closed last. */
export const accountOptions = (ledger: Ledger): Options => optionsOf(openFirst(ledger))

type ChoiceProps = FieldProps & { options: Options; groups?: (readonly [label: string, options: Options])[] }

/** A choice from a list; `groups` follow the options that belong to none. */
export function Choice({ label, name, required, value, options, groups = [], hint }: ChoiceProps) {
  const { described, surround } = useLabel(label, name, hint)
  const choices = (some: Options) =>
    some.map(([key, text]) => <option key={key} value={key} selected={key === value} children={text} />)
  return surround(
    <select {...{ name, required, ...described }}>
      {choices(options)}
      {groups.map(([name, some]) => (
        <optgroup key={name} label={name} children={choices(some)} />
      ))}
    </select>,
  )
}

type SegmentsProps = {
  label: string
  name: string
  value: string
  options: Options
  onChoose?: (value: string) => void
  /** How an option is shown to those who can see it, in place of its text. */
  show?: (value: string) => ComponentChildren
}

/** A choice between a few values, all of which are shown. */
export const Segments = ({ label, name, value, options, onChoose, show }: SegmentsProps) => (
  <fieldset class={show ? 'choices' : 'segments'}>
    <legend class={show ? '' : 'hidden'}>{label}</legend>
    {options.map(([one, text]) => (
      <label key={one} title={show && text}>
        <input
          type="radio"
          {...{ name, value: one }}
          aria-label={text}
          defaultChecked={value === one}
          onChange={() => onChoose?.(one)}
        />
        {show?.(one) ?? text}
      </label>
    ))}
  </fieldset>
)
