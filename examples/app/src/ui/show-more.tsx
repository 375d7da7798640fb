import { useEffect, useRef } from 'preact/hooks'
import { Button } from './button.tsx'

/** A list shows more once its end is this near. */
const nearPixels = 600

type Props = { shown: number; onMore: () => void }

/** The end of a list that has more rows: it grows when a person comes near, or presses the button. */
export function ShowMore({ shown, onMore }: Props) {
  const end = useRef<HTMLParagraphElement>(null)
  useEffect(() => {
    const watch = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && onMore(),
      { rootMargin: `0px 0px ${nearPixels}px` },
    )
    if (end.current) watch.observe(end.current)
    return () => watch.disconnect()
  }, [shown])
  return (
    <p ref={end}>
      <Button label="Show more" isMain={false} onClick={onMore} />
    </p>
  )
}
