import type { ButtonHTMLAttributes } from 'preact'

/** If it is not the main one, it is of lesser weight than the others around it. */
type Props = { label: string; isMain?: boolean } & ButtonHTMLAttributes<HTMLButtonElement>

export function Button({ label, isMain = true, ...given }: Props) {
  return <button type="button" class={isMain ? '' : 'outline'} {...given} children={label} />
}
