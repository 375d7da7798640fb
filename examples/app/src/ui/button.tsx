import type { ButtonHTMLAttributes } from 'preact'

/** A secondary button looks less important than those around it. */
type Props = { label: string; isMain?: boolean } & ButtonHTMLAttributes<HTMLButtonElement>

export function Button({ label, isMain = true, ...given }: Props) {
  return <button type="button" class={isMain ? '' : 'outline'} {...given} children={label} />
}
