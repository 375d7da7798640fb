import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { Button } from './button.tsx'

type Props = { title: string; add?: string; onAdd?: () => void; children: ComponentChildren }

/** A page with its heading, which takes the focus so that a screen reader announces the page. */
export function Page({ title, add, onAdd, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => {
    document.title = `${title} · Purse`
    heading.current?.focus({ preventScroll: true })
  }, [title])
  return (
    <>
      <header class="line">
        <h1 ref={heading} tabIndex={-1} children={title} />
        {add && <Button label={add} onClick={onAdd} />}
      </header>
      {children}
    </>
  )
}
