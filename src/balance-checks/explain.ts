import { sql } from 'drizzle-orm'
import type { Owner } from '../database/owner.ts'
import { ownRow, requireOwned, selectOwnership } from '../database/ownership.ts'
import { accounts, balanceChecks } from '../database/schema.ts'
import type { Minor } from '../domain/money.ts'
import { NotFound } from '../failures/failures.ts'
import { type Candidate, candidatesOf, selectSuspects } from './candidates.ts'
import { accountsOf, type BalanceCheck, explainedChecksOf, selectExplainedChecks, stateOf } from './read.ts'
import type { EntryDetails } from './story.ts'

type Explained = ReturnType<typeof explainedChecksOf<ExplainedEntry>>[number]
type ExplainedEntry = Parameters<typeof explainedChecksOf>[0]['entries'][number]['row'] & EntryDetails

/** A check with what its difference consists of. */
export type Explanation = Omit<Explained, 'changes'> & {
  changes: ReturnType<Explained['changes']>
  lastOk: BalanceCheck | null
  candidates: Candidate[]
}

/** Returns a check with what broke it. Throws NotFound, Forbidden. */
export async function explainCheck(owner: Owner, id: number): Promise<Explanation> {
  const which = accountsOf(ownRow(owner, balanceChecks, id))
  const { owned, suspects, starts, ...found } = await owner.run({
    owned: selectOwnership(owner, balanceChecks, id),
    suspects: selectSuspects(owner, id),
    starts: owner.db
      .select({ startingBalance: accounts.startingBalance })
      .from(accounts)
      .where(sql`${accounts.userId} = ${owner.id} and ${which}`),
    ...selectExplainedChecks(owner, which),
  })
  requireOwned(balanceChecks, owned)
  const checks = explainedChecksOf(found)
  const check = checks.find((one) => one.id === id)
  if (!check) throw new NotFound('Balance check')
  const isBroken = stateOf(check) === 'broken'
  const lastOk = checks.findLast((one) => one.date < check.date && stateOf(one) === 'ok') ?? null
  const startingBalance = (starts[0]?.startingBalance ?? 0) as Minor
  const candidates =
    isBroken && !check.wasOk ? candidatesOf({ check, checks, lastOk, suspects, startingBalance }) : []
  return { ...check, changes: check.changes(), lastOk: isBroken ? lastOk : null, candidates }
}
