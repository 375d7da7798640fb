import type { ButtonHTMLAttributes } from 'preact'
import { Icon, type IconName } from './icon.tsx'

/** A secondary button looks less important than those around it. */
type Props = { label: string; isMain?: boolean } & ButtonHTMLAttributes<HTMLButtonElement>

export function Button({ label, isMain = true, ...given }: Props) {
  return <button type="button" class={isMain ? '' : 'outline'} {...given} children={label} />
}

type IconProps = Omit<Props, 'isMain'> & { icon: IconName }

/** A button that shows an icon in place of its label. */
export const IconButton = ({ icon, label, ...given }: IconProps) => (
  <button type="button" class="plain" aria-label={label} {...given} children={<Icon name={icon} />} />
)
