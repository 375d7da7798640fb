import { observable } from './store.ts'
import type { IconName } from './ui/icon.tsx'

/** Hues by name, in degrees of the colour circle. */
export const hues = {
  red: 25,
  orange: 55,
  yellow: 90,
  green: 145,
  teal: 185,
  blue: 245,
  violet: 295,
  pink: 350,
  grey: null,
} as const
export type HueName = keyof typeof hues
export type Look = { icon: IconName; hue: HueName }

/** The icons to choose from, each with the words of a category's name that suggest it, and the hue. */
const suggestions: [IconName, HueName, RegExp?][] = [
  ['basket', 'green', /grocer|food|market/i],
  ['cup', 'orange', /eat|restaurant|coffee|lunch|bar/i],
  ['house', 'blue', /hous|rent|home|mortgage/i],
  ['bolt', 'yellow', /utilit|energy|electric|water|heat/i],
  ['signal', 'violet', /internet|phone|mobile/i],
  ['bus', 'teal', /transport|bus|train|car|fuel|taxi/i],
  ['heart', 'red', /health|doctor|pharma|sport/i],
  ['shield', 'blue', /insur/i],
  ['book', 'orange', /educat|school|book|child/i],
  ['shirt', 'pink', /cloth|shoe/i],
  ['film', 'violet', /entertain|hobb|game|subscr/i],
  ['plane', 'teal', /travel|holiday|trip/i],
  ['gift', 'pink', /gift|donat/i],
  ['bank', 'grey', /bank|fee|charge|tax/i],
  ['piggy', 'green', /sav/i],
  ['briefcase', 'green', /salary|wage|pension/i],
  ['laptop', 'teal', /freelanc|business/i],
  ['trend', 'blue', /invest|interest|dividend/i],
  ['coins', 'grey', /income|other/i],
  ['star', 'yellow'],
  ['tag', 'grey'],
]
export const icons = suggestions.map(([icon]) => icon)

export const looksKey = 'purse.looks'
const chosen = observable<Record<string, Look>>(JSON.parse(localStorage.getItem(looksKey) ?? '{}'))
export const looks = { subscribe: chosen.subscribe }

type Named = { key: string; name: string }

/** How a category looks on this device: as chosen, or else as its name suggests. */
export function lookOf({ key, name }: Named): Look {
  const [icon, hue] = suggestions.find(([, , words]) => words?.test(name)) ?? (['tag', 'grey'] as const)
  return chosen.get()[key] ?? { icon, hue }
}

export function chooseLook(key: string, look: Look): void {
  chosen.set({ ...chosen.get(), [key]: look })
  localStorage.setItem(looksKey, JSON.stringify(chosen.get()))
}
