import { hues, type Look } from '../looks.ts'
import paths from './icons.json'

export type IconName = keyof typeof paths

/** A line icon, drawn on 24 by 24 units. */
export const Icon = ({ name }: { name: IconName }) => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
    <path d={paths[name]} />
  </svg>
)

/** The colours of a hue, for a style. */
export const colouring = (hue: Look['hue']): string =>
  `--hue: ${hues[hue] ?? 0}; --vivid: ${hues[hue] === null ? 0 : 0.055}`

export const Badge = ({ icon, hue }: Look) => (
  <span class="badge" style={colouring(hue)} children={<Icon name={icon} />} />
)
