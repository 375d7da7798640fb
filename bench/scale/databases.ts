import { copyFileSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import { historyFile } from '../history.ts'

/** As production has it: hashing is most of what signing in costs. */
export const scryptCost = '16384,8,5'
export const users = 1_500

const cache = path.join(import.meta.dirname, '../../.local/bench')

/** Puts databases where the libSQL server of `directory` finds them: user 1 has so many transactions, the others none. */
export async function putDatabases(names: string[], transactions: number, directory: string): Promise<void> {
  const name = `${transactions.toLocaleString('en')} transactions`
  const history = { name, users, ownTransactions: transactions, othersTransactions: 0, scryptCost }
  const { file } = await historyFile(cache, history)
  mkdirSync(path.join(directory, 'libsql'), { recursive: true })
  for (const database of names) copyFileSync(file, path.join(directory, `libsql/${database}.db`))
}
