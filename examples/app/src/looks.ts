import listed from './looks.json'
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
const suggestions = listed as [IconName, HueName, string?][]
export const icons = suggestions.map(([icon]) => icon)

export const looksKey = 'purse.looks'
const chosen = observable<Record<string, Look>>(JSON.parse(localStorage.getItem(looksKey) ?? '{}'))
export const looks = { subscribe: chosen.subscribe }

type Named = { key: string; name: string }

/** How a category looks on this device: as chosen, or else as its name suggests. */
export function lookOf({ key, name }: Named): Look {
  const [icon, hue] =
    suggestions.find(([, , words]) => words && new RegExp(words, 'i').test(name)) ??
    (['tag', 'grey'] as const)
  return chosen.get()[key] ?? { icon, hue }
}

export function chooseLook(key: string, look: Look): void {
  chosen.set({ ...chosen.get(), [key]: look })
  localStorage.setItem(looksKey, JSON.stringify(chosen.get()))
}
