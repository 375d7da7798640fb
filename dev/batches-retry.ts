// `npm run batches:retry ID …` or `npm run batches:retry -- --all-failed`: retries failed offline batches.
import { openDatabase } from '../src/database/client.ts'
import { failedSyncs, type Retry, retrySync } from '../src/sync/retry.ts'
import { reasonOf } from './dev-error.ts'
import { withDatabase } from './with-database.ts'

const timeoutMs = 60_000
const usage =
  'Name the batches (npm run batches:retry ID …), or take all: npm run batches:retry -- --all-failed'

const words = process.argv.slice(2)
const isAll = words.length === 1 && words[0] === '--all-failed'

if (words.length === 0 || (!isAll && words.some((word) => word.startsWith('-')))) {
  console.error(usage)
  process.exitCode = 2
} else {
  await withDatabase(async ({ url, authToken }) => {
    const db = openDatabase({ url, authToken, timeoutMs })
    try {
      const ids = isAll ? await failedSyncs(db) : words
      if (ids.length === 0) console.log('No batch has failed.')
      for (const id of ids) report(await retrySync(db, id))
    } catch (error) {
      console.error(`The batches could not be tried again: ${reasonOf(error)}`)
      process.exitCode = 2
    }
  })
}

function report({ id, status, items }: Retry): void {
  if (status === 'failed') {
    console.log(
      `${id}: ${items} ${items === 1 ? 'item is' : 'items are'} waiting again; queued within a minute.`,
    )
    return
  }
  console.log(
    status ? `${id}: has not failed but is ${status}; left as it is.` : `${id}: there is no such batch.`,
  )
  // With --all-failed somebody else may have retried it in the meantime.
  if (!isAll) process.exitCode = 1
}
