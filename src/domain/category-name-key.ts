import type { categoryTypes } from './types.ts'

export type CategoryType = (typeof categoryTypes)[number]

/** The form in which category names are compared. Sigma has two lower-case letters. */
export function categoryNameKey(name: string): string {
  return name.normalize('NFC').toLowerCase().replaceAll('ς', 'σ')
}
