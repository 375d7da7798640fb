import type { ShownCategory } from './contract.ts'
import type { Category } from './read.ts'

export function presentCategory({ id, userId, name, type, version }: Category): ShownCategory {
  return { id, user_id: userId, name, type, version }
}
