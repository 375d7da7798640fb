// `npm run db:migrate`: applies the migrations. `drizzle-kit migrate` would fail without a word about the reason.
import { DevError, reasonOf } from './dev-error.ts'
import { migrateDatabase, OtherMigrations } from './migrate.ts'
import { withDatabase } from './with-database.ts'

const answerLimitMs = 600_000

await withDatabase(async ({ url, authToken }) => {
  try {
    const applied = await migrateDatabase(url, authToken, answerLimitMs)
    console.log(applied === 0 ? 'All migrations had been applied.' : `Migrations applied: ${applied}.`)
  } catch (error) {
    // A rollback deploys an earlier version, whose migrations have all been applied.
    if (!(error instanceof OtherMigrations && error.isAhead))
      throw new DevError(`the database could not be migrated: ${reasonOf(error)}`, { cause: error })
    console.log('All migrations had been applied, and later ones too.')
  }
})
