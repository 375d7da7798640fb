// `npm run db:check`: recomputes every kept balance, count and total from the rows and reports differences.
import { findDifferences } from '../src/database/check.ts'
import { openDatabase } from '../src/database/client.ts'
import { reasonOf } from './dev-error.ts'
import { withDatabase } from './with-database.ts'

const timeoutMs = 600_000

await withDatabase(async ({ url, authToken }) => {
  try {
    const differences = await findDifferences(openDatabase({ url, authToken, timeoutMs }))
    if (differences.length > 0) console.table(differences)
    const found = differences.length === 1 ? '1 difference' : `${differences.length} differences`
    console.log(`${found} between the kept figures and the rows (amounts in minor units).`)
    process.exitCode = differences.length > 0 ? 1 : 0
  } catch (error) {
    console.error(`The database could not be checked: ${explain(error)}`)
    process.exitCode = 2
  }
})

function explain(error: unknown): string {
  const message = reasonOf(error)
  return message.includes('no such table') ? 'it has no tables yet. Run `npm run db:migrate` first.' : message
}
