import { useLayoutEffect, useRef } from 'preact/hooks'

/**
 * Properties of an item in a list that may go away: the focus then goes to the item beside it, or else to the page's
 * heading, so that neither a keyboard nor a screen reader loses its place.
 */
export function useListItem(name: string) {
  const ref = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const { current: item } = ref
    return () => {
      if (!item?.contains(document.activeElement)) return
      const beside = [item.nextElementSibling, item.previousElementSibling]
      const next = beside.find((one) => one?.matches('[role=group]')) ?? document.querySelector('h1')
      if (next instanceof HTMLElement) next.focus()
    }
  }, [])
  return { ref, role: 'group', tabIndex: -1, 'aria-label': name } as const
}
