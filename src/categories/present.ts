import type { Category } from './read.ts'
import type { ShownCategory } from './response-contract.ts'

export function presentCategory({ id, userId, name, type, version }: Category): ShownCategory {
  return { id, user_id: userId, name, type, version }
}
