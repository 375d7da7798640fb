import { type SQL, sql } from 'drizzle-orm'

/** White space as people and apps write it. SQLite's parser has no room for the replacements of all kinds. */
const blanks = '\t\n\r \u00a0\u2009\u202f\u3000'

/** Case is that of ASCII letters, as SQLite's lower() has it. */
const lower = (name: string) => name.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

/** A name without regard to case and white space. */
export const nameKey = (name: string) => lower(name).replace(new RegExp(`[${blanks}]`, 'g'), '')

/** The same in SQL. */
export const nameKeySql = (name: SQL): SQL =>
  [...blanks].reduce(
    (text, blank) => sql`replace(${text}, char(${sql.raw(String(blank.charCodeAt(0)))}), '')`,
    sql`lower(${name})`,
  )

/** How the names of accounts in one file relate to each other. */
type AccountNames = {
  /** Equal for two spellings of one account: an app writes each name in one way, a person may vary its case. */
  spellingOf: (name: string) => string
  /** The key by which an account of another spelling is found; null if the file tells several accounts by it. */
  keyOf: (name: string) => string | null
}

/** Relates the names in a file. Its `product` is the app that has written it; null if it is a table of one's own. */
export function relateNames(names: (string | number | null)[], product: string | null): AccountNames {
  const spellingOf = product === null ? lower : (name: string) => name
  const spellings = new Map<string, Set<string>>()
  for (const name of new Set(names))
    if (typeof name === 'string') {
      const key = nameKey(name)
      spellings.set(key, (spellings.get(key) ?? new Set()).add(spellingOf(name)))
    }
  const keyOf = (name: string) => {
    const key = nameKey(name)
    return (spellings.get(key)?.size ?? 0) > 1 ? null : key
  }
  return { spellingOf, keyOf }
}
