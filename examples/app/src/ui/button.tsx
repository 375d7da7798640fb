type Props = {
  label: string
  /** Else it is of lesser weight than the others around it. */
  isMain?: boolean
  onClick?: () => unknown
  type?: 'button' | 'submit'
  disabled?: boolean
  'aria-label'?: string
}

export function Button({ label, isMain = true, type = 'button', ...given }: Props) {
  return (
    <button {...given} type={type} class={isMain ? '' : 'outline'}>
      {label}
    </button>
  )
}
