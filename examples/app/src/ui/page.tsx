import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { showAgain, wantedFocus } from '../router.ts'
import { Icon } from './icon.tsx'

type Props = {
  title: string
  /** What the page's button adds. */
  add?: string | false
  onAdd?: () => void
  children: ComponentChildren
}

/** A page with its heading, which takes the focus so that a screen reader announces the page. */
export function Page({ title, add, onAdd, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => {
    document.title = `${title} · Purse`
    ;(wantedFocus() ?? heading.current)?.focus({ preventScroll: true })
  }, [title])
  useLayoutEffect(showAgain, [])
  return (
    <>
      <header class="line">
        <h1 ref={heading} tabIndex={-1} children={title} />
        {add && (
          <button type="button" onClick={onAdd}>
            <Icon name="plus" /> Add<span class="long"> {add}</span>
          </button>
        )}
      </header>
      {children}
    </>
  )
}
