import path from 'node:path'
import { projectDirectory } from '../../dev/project.ts'
import { historyFile } from '../history.ts'

/** As in production, since hashing is most of what signing in costs. */
export const scryptCost = '16384,8,5'
export const users = 1_500

const cache = path.join(projectDirectory, '.local/bench')

/** A database file in which user 1 has a number of transactions and the others have none. */
export async function databaseFile(transactions: number): Promise<string> {
  const name = `${transactions.toLocaleString('en')} transactions`
  const history = { name, users, ownTransactions: transactions, othersTransactions: 0, scryptCost }
  return (await historyFile(cache, history)).file
}
