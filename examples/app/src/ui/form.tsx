import type { ComponentChildren, LooseInputHTMLAttributes, TargetedSubmitEvent } from 'preact'
import { createContext } from 'preact'
import { useContext, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { besides, failureOf, none } from '../failure.ts'
import { Button } from './button.tsx'

const Failed = createContext(none)

export type Entries = Record<string, string>

type FormProps = {
  submit: string
  look?: 'outline' | 'outline danger'
  onSubmit: (entries: Entries) => Promise<unknown>
  onInput?: (event: Event) => void
  aside?: ComponentChildren
  children?: ComponentChildren
}

/** A form that shows errors beside its fields, and moves the focus to the first of them. */
export function Form({ submit, look, onSubmit, onInput, aside, children }: FormProps) {
  const form = useRef<HTMLFormElement>(null)
  const [failure, setFailure] = useState(none)
  const [isBusy, setBusy] = useState(false)
  const send = async (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isBusy) return
    setBusy(true)
    const entries = Object.fromEntries(new FormData(event.currentTarget)) as Entries
    setFailure(await onSubmit(entries).then(() => none, failureOf))
    setBusy(false)
  }
  useLayoutEffect(() => form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus(), [failure])
  const said = besides(failure, form.current).join('\n')
  return (
    <Failed.Provider value={failure}>
      <form ref={form} onSubmit={send} onInput={onInput}>
        {children}
        {said && <p role="alert">{said}</p>}
        <Button type="submit" label={submit} class={look} aria-busy={isBusy} />
        {aside}
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
  const texts = useContext(Failed).errors[given.name]
  return (
    <label>
      {label}
      {/* Preact's types tell inputs apart by a type that is written out. */}
      <input {...given} type={type as 'email'} defaultValue={value ?? ''} aria-invalid={texts && true} />
      <small>{texts?.join(' ') ?? hint}</small>
    </label>
  )
}

/** The choices: values, with the texts that people read. */
export type Options = (readonly [value: string, label: string])[]

export const optionsOf = (rows: { key: string; name: string }[]): Options =>
  rows.map(({ key, name }) => [key, name])

export function Choice({ label, name, value, options, required }: FieldProps & { options: Options }) {
  return (
    <label>
      {label}
      <select name={name} required={required}>
        {options.map(([key, text]) => (
          <option key={key} value={key} selected={key === value} label={text} />
        ))}
      </select>
      <small>{useContext(Failed).errors[name]?.join(' ')}</small>
    </label>
  )
}
