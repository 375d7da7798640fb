import type { Category } from './categories.ts'
import type { ShownCategory } from './contract.ts'

export function presentCategory({ id, userId, name, type, version }: Category): ShownCategory {
  return { id, user_id: userId, name, type, version }
}
