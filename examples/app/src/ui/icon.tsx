import paths from './icons.json'

export type IconName = keyof typeof paths

/** A line icon, drawn on 24 by 24 units. */
export const Icon = ({ name }: { name: IconName }) => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
    <path d={paths[name]} />
  </svg>
)
