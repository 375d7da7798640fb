import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

type Props = { title: string; actions?: ComponentChildren; children: ComponentChildren }

/** A page with its heading, which takes the focus, so that a screen reader says where one is. */
export function Page({ title, actions, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => {
    document.title = `${title} · Purse`
    heading.current?.focus({ preventScroll: true })
  }, [title])
  return (
    <>
      <header class="page">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {actions}
      </header>
      {children}
    </>
  )
}
