import { eq, sql } from 'drizzle-orm'
import { isFuture, todayOf } from '../../balance-checks/new-check.ts'
import { withinBounds } from '../../database/bounds.ts'
import type { Owner } from '../../database/owner.ts'
import { requireComplete } from '../../database/ownership.ts'
import type { Statement } from '../../database/run.ts'
import { batches, uploadSteps } from '../../database/schema.ts'
import { messageFor, notAfterToday } from '../../domain/field-errors.ts'
import type { Draft } from '../../failures/draft.ts'
import { CursorExpired, Invalid } from '../../failures/failures.ts'
import type { RemovalQueue } from '../../queues/queues.ts'
import { type FoundRule, repeated } from '../../recurring/chain.ts'
import type { Operation, Upload } from '../operations-contract.ts'
import { canContinue } from '../pull/cursor-check.ts'
import { type Feed, feedOf, feedStatements, withSmallerPages } from '../pull/feed.ts'
import { createAccounts, deleteAccounts, reconcileAccounts, updateAccounts } from './accounts.ts'
import { createChecks, deleteChecks, updateChecks } from './balance-checks.ts'
import { createCategories, deleteCategories, updateCategories } from './categories.ts'
import { type Outcome, outcomesOf, readOutcomes } from './outcomes.ts'
import { updateProfiles } from './profile.ts'
import { namesRules, readRules } from './read-rules.ts'
import { changeRules, createRules, deleteRules } from './recurring.ts'
import { repeatedRowErrors, repeatedRows, rowsToCompare } from './repeated-rows.ts'
import { withOccurrences } from './rule-occurrences.ts'
import { planRules, type RulePlan } from './rule-plan.ts'
import { begin, begun, type Step, type UploadContext } from './steps.ts'
import { createTransactions, deleteTransactions, updateTransactions } from './transactions.ts'

/** True for an update that sets the end of a reconciled period. */
const reconciles = ({ set }: Operation) => typeof set.reconciled_through === 'string'

/**
 * The order in which operations are done, independent of their order in the upload: rows that others refer to are created
 * first and deleted last. Accounts are updated before any is created, and so are categories, so that a new row can have
 * what an update gives up: a name, or room for notes. Balance checks come after the transactions, and give up their days first.
 * Periods are reconciled after that, so that they bind no other operation, and opened before any.
 */
const order: [
  kind: Operation['kind'],
  noun: Operation['noun'],
  step: Step,
  which?: (operation: Operation) => boolean,
][] = [
  ['update', 'profile', updateProfiles],
  ['update', 'account', updateAccounts, (one) => !reconciles(one)],
  ['create', 'account', createAccounts],
  ['update', 'category', updateCategories],
  ['create', 'category', createCategories],
  ['create', 'recurring', createRules],
  ['update', 'recurring', changeRules],
  ['create', 'transaction', createTransactions],
  ['update', 'transaction', updateTransactions],
  ['delete', 'transaction', deleteTransactions],
  ['delete', 'balance_check', deleteChecks],
  ['update', 'balance_check', updateChecks],
  ['create', 'balance_check', createChecks],
  ['update', 'account', reconcileAccounts, reconciles],
  ['delete', 'recurring', deleteRules],
  ['delete', 'category', deleteCategories],
  ['delete', 'account', deleteAccounts],
]

/** Finds the faults of an upload as a whole. If it has any, none of its steps writes. */
function checkUpload(owner: Owner, { rowsToCompare, cursor, epoch }: UploadContext) {
  return {
    repeated: rowsToCompare
      ? [owner.db.all<{ position: number }>(repeatedRows(owner.id, rowsToCompare))]
      : [],
    expired: cursor
      ? [owner.db.all(sql`select 1 as expired where not ${canContinue(owner, cursor, epoch)}`)]
      : [],
  }
}

/** The outcomes of an upload's operations and, if it had a cursor, the next page of the feed. */
export type Uploaded = { outcomes: Outcome[]; feed: Feed | undefined }

/**
 * Carries out the operations of an upload in one transaction, and in one round trip unless the page of the feed has to be
 * made smaller. The outcome of each operation says whether it was done. If it throws Invalid or CursorExpired, none was.
 */
export async function uploadOperations(
  owner: Owner,
  draft: Draft<Upload>,
  { epoch, removalQueue }: Options,
): Promise<Uploaded> {
  const sent = await requireComplete(owner, draft)
  const upload = { ...sent, ...(await withPossibleDates(owner, sent)) }
  const options = { epoch, removalQueue }
  if (!namesRules(upload)) return write(owner, upload, options)
  // A rule may change before it is written.
  return repeated(async () => {
    const found = await readRules(owner, upload.operations)
    const plan = planRules(upload.operations, found)
    const operations = upload.isRestore
      ? upload.operations
      : withOccurrences(upload.operations, { ...found, ...plan })
    return write(owner, { ...upload, operations }, { ...options, plan: { ...plan, read: found.rules } })
  })
}

type Options = { epoch: number; removalQueue: RemovalQueue }
type Plan = Pick<RulePlan, 'outcomes' | 'writes'> & { read: FoundRule[] }

async function write(owner: Owner, upload: Upload, options: Options): Promise<Uploaded>
async function write(
  owner: Owner,
  upload: Upload,
  options: Options & { plan: Plan },
): Promise<Uploaded | undefined>
/** Does the operations; does nothing and returns undefined if the rules are no longer those that were read. */
async function write(
  owner: Owner,
  { cursor, limit, operations, refused }: Upload,
  { epoch, removalQueue, plan }: Options & { plan?: Plan },
): Promise<Uploaded | undefined> {
  const uploadId = crypto.randomUUID()
  const context = { uploadId, rowsToCompare: rowsToCompare(operations), cursor, epoch, plan }
  const statements = {
    ...checkUpload(owner, context),
    begun: plan ? [owner.db.run(begin(owner, context, plan.read))] : [],
    steps: stepsOf(owner, context, operations),
    ...readOutcomes(owner, uploadId),
    hasBegun: plan ? [owner.db.all(begun(uploadId))] : [],
    stepsCleared: owner.db.delete(uploadSteps).where(eq(uploadSteps.uploadId, uploadId)),
    batchCleared: owner.db.delete(batches).where(eq(batches.id, uploadId)),
  }
  const { results, feed } = cursor
    ? await withSmallerPages(limit, async (limit) => {
        const request = { from: cursor, limit, epoch }
        const write = owner.run({ ...statements, ...feedStatements(owner, request) })
        const results = await withinBounds('batch', write)
        return { results, feed: () => feedOf(request, results) }
      })
    : { results: await withinBounds('batch', owner.run(statements)), feed: () => undefined }
  const { user, repeated: twice, expired } = results
  if (twice.flat().length > 0) throw new Invalid(repeatedRowErrors(twice.flat()))
  if (expired.flat().length > 0) throw new CursorExpired()

  if (plan && results.hasBegun.flat().length === 0) return undefined
  const outcomes = [
    ...outcomesOf(operations, results, user),
    ...refused.map(invalid),
    ...(plan?.outcomes ?? []),
  ]
  if (results.accountsDeleted.length > 0) await removalQueue.send(user.id)
  return { outcomes: outcomes.sort((a, b) => a.index - b.index), feed: feed() }
}

/** Refuses balance checks of days after today in the user's time zone. */
async function withPossibleDates(
  owner: Owner,
  { operations, refused }: Pick<Upload, 'operations' | 'refused'>,
) {
  const dateOf = ({ noun, set }: Operation) => (noun === 'balance_check' ? (set.date as string) : undefined)
  const dates = operations.flatMap((one) => dateOf(one) ?? []).toSorted()
  const latest = dates.at(-1)
  if (latest === undefined || !(await isFuture(owner, latest))) return { operations, refused }
  const today = await todayOf(owner)
  const isLate = (one: Operation) => (dateOf(one) ?? '') > today
  const errors = { date: [messageFor('date', notAfterToday)] }
  return {
    operations: operations.filter((one) => !isLate(one)),
    refused: [...refused, ...operations.filter(isLate).map(({ index }) => ({ index, errors }))],
  }
}

function stepsOf(owner: Owner, context: UploadContext, operations: Operation[]): Statement[] {
  return order.flatMap(([kind, noun, step, which = () => true]) => {
    const ofStep = operations.filter((one) => one.kind === kind && one.noun === noun && which(one))
    return ofStep.length > 0 ? step(owner, context, ofStep) : []
  })
}

function invalid({ index, errors }: Upload['refused'][number]): Outcome {
  return { index, outcome: 'invalid', id: null, version: null, fields: null, errors, current: null }
}
