import { isTaken } from '../database/errors.ts'
import { messageFor, takenText } from '../domain/field-errors.ts'
import { Invalid } from '../failures/failures.ts'

/** Awaits a write. If another category has the name and type, throws Invalid under `name`. */
export async function withUniqueName<T>(write: Promise<T>): Promise<T> {
  try {
    return await write
  } catch (error) {
    if (!isTaken(error, 'categories.name_key')) throw error
    throw new Invalid({ name: [messageFor('name', takenText)] })
  }
}
