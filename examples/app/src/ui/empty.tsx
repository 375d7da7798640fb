import type { ComponentChildren } from 'preact'

/** Says what is missing in place of a list, and what to do. */
export const Empty = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <article>
    <h2>{title}</h2>
    {children}
  </article>
)
