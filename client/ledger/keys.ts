import type { Copy } from './copy.ts'
import type { Creatable } from './entered.ts'
import type { Renames } from './revive.ts'
import type { Key } from './rows.ts'

export type FindKey = (noun: Creatable, name: Key | number) => Key

/** Finds the key of a row, by its key or id, even one from before it was deleted and restored. */
export function keysOf({ stored }: Pick<Copy, 'stored'>, renames: Renames): FindKey {
  function ownKeyOf(noun: Creatable, name: Key | number): Key {
    if (typeof name === 'string' && name.startsWith('#')) return name
    if (noun === 'account' || noun === 'category' || noun === 'recurring')
      return stored().rows.keyOf(noun, Number(name))
    const client = stored().rows.byId[noun].get(Number(name))?.client_id
    return client == null ? String(name) : `#${client}`
  }

  return function keyOf(noun: Creatable, name: Key | number): Key {
    const key = ownKeyOf(noun, name)
    const back = renames.get(`${noun} ${key}`)
    return back ? keyOf(noun, back) : key
  }
}
