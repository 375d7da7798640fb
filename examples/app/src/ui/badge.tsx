import { hues, type Look } from '../looks.ts'
import { Icon } from './icon.tsx'

/** The colours of a hue, for a style. */
export const colouring = (hue: Look['hue']): string =>
  `--hue: ${hues[hue] ?? 0}; --vivid: ${hues[hue] === null ? 0 : 0.055}`

export const Badge = ({ icon, hue }: Look) => (
  <span class="badge" style={colouring(hue)} children={<Icon name={icon} />} />
)
