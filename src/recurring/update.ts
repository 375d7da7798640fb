import type { Owner } from '../database/owner.ts'
import type { ExpectedVersions } from '../domain/types.ts'
import type { Draft } from '../failures/draft.ts'
import { withDestinationCleared } from '../transactions/update.ts'
import { readForWrite, repeated } from './chain.ts'
import { changeRule } from './change.ts'
import type { RecurringChanges, RecurringUpdate } from './contract.ts'
import { type Divided, divideRule } from './divide.ts'
import type { RuleWithNext } from './read.ts'

/**
 * Changes only the fields that were sent, of what is not recorded yet; with `from`, of the occurrences from that one on.
 * Throws NotFound, Forbidden, VersionConflict, Invalid, TooBusy.
 */
export function updateRule(
  owner: Owner,
  id: number,
  draft: Draft<RecurringUpdate>,
  expected: ExpectedVersions,
): Promise<RuleWithNext | Divided> {
  return repeated(async () => {
    const found = await readForWrite(owner, id, expected)
    const { from, ...sent } = draft.values
    const changes = { ...draft, values: withDestinationCleared(sent) } as Draft<RecurringChanges>
    return from ? divideRule(owner, found, from, changes) : changeRule(owner, found, changes)
  })
}
