import type { categoryTypes } from '../shared/types.ts'

export type CategoryType = (typeof categoryTypes)[number]

/** The form in which category names are compared. A sigma has two lower cases, one of them for the end of a word. */
export function categoryNameKey(name: string): string {
  return name.normalize('NFC').toLowerCase().replaceAll('ς', 'σ')
}
