import type { Owner } from '../database/owner.ts'
import type { FieldErrors } from '../domain/field-errors.ts'
import { messageFor } from '../domain/field-errors.ts'
import { withExceptions } from '../domain/recurrence/occurrences.ts'
import type { ExpectedVersions } from '../domain/types.ts'
import { type Draft, withErrors } from '../failures/draft.ts'
import { withDestinationCleared } from '../transactions/update.ts'
import { type FoundRules, readForWrite, repeated } from './chain.ts'
import { changeRule } from './change.ts'
import { exceptionsText, type RecurringChanges, type RecurringUpdate } from './contract.ts'
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
    const { from, exceptions, ...sent } = draft.values
    const valid = { ...draft, values: withDestinationCleared(sent) } as Draft<RecurringChanges>
    const changes = withErrors(valid, exceptionErrors(found, exceptions))
    return from ? divideRule(owner, found, from, changes) : changeRule(owner, found, changes)
  })
}

/** The error of other exceptions than those of the rule. */
function exceptionErrors({ rule, today }: FoundRules, sent: RecurringUpdate['exceptions']): FieldErrors {
  const isSame =
    sent === undefined || JSON.stringify(withExceptions({}, sent, today)) === JSON.stringify(rule.exceptions)
  return isSame ? {} : { exceptions: [messageFor('exceptions', exceptionsText)] }
}
