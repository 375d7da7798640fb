import hues from './hues.json'
import listed from './looks.json'
import { observable } from './store.ts'
import type { IconName } from './ui/icon.tsx'

/** Hues by name, in degrees of the colour circle. */
export { hues }

type HueName = keyof typeof hues
export type Look = { icon: IconName; hue: HueName }

/** The icons to choose from, each with the words of a category's name that suggest it, and the hue. */
const suggestions = listed as [IconName, HueName, string?][]
export const icons = suggestions.map(([icon]) => icon)

export const looksKey = 'purse.looks'
/** The looks that were chosen, by the keys and names of categories. */
export const looks = observable<Record<string, Look>>(JSON.parse(localStorage.getItem(looksKey) ?? '{}'))

type Named = { key: string; name: string }
/** The entry by name is for a category that was deleted and restored, which has another key. */
const entryOf = (name: string) => `= ${name}`

/** How a category, or its absence, looks on this device: as chosen, or else as its name suggests. */
export function lookOf(category: Named | null): Look {
  if (!category) return { icon: 'unknown', hue: 'grey' }
  const { key, name } = category
  const [icon, hue] =
    suggestions.find(([, , words]) => words && new RegExp(words, 'i').test(name)) ??
    (['tag', 'grey'] as const)
  return looks.get()[key] ?? looks.get()[entryOf(name)] ?? { icon, hue }
}

export function chooseLook({ key, name }: Named, look: Look): void {
  looks.set({ ...looks.get(), [key]: look, [entryOf(name)]: look })
  localStorage.setItem(looksKey, JSON.stringify(looks.get()))
}
