import type { PurseClient } from '../create.ts'
import { type Locks, sharedLocks } from '../locks.ts'
import { newClientId } from '../new-id.ts'
import { bearerOf } from '../own-token.ts'
import type { LedgerStorage } from '../storage.ts'
import { conflictsOf } from './conflicts.ts'
import { type Copy, openCopy } from './copy.ts'
import { editsOf } from './edits.ts'
import { keysOf } from './keys.ts'
import { occurrenceWritesOf } from './occurrences.ts'
import { figureReadsOf, rowReadsOf, todayOf } from './reads.ts'
import type { Renames } from './revive.ts'
import { type LedgerReport, syncLimits } from './run.ts'
import { stepsOf } from './steps.ts'
import { successorWritesOf } from './successors.ts'
import { synchronise } from './sync.ts'
import { validatorOf } from './validate.ts'

export type LedgerOptions = {
  client: Pick<PurseClient, 'api' | 'tokens'>
  storage: LedgerStorage
  /** The owner: on a shared device, each user has a ledger of their own. */
  userId: number
  /** Default: the browser's locks, which all its tabs share. If there are none, those of this page: use one tab only. */
  locks?: Locks
  newId?: () => string
  /** Milliseconds since 1970. It decides which day is today, and nothing else. */
  now?: () => number
  limits?: typeof syncLimits
}

export type Ledger = ReturnType<typeof rowReadsOf> &
  ReturnType<typeof figureReadsOf> &
  ReturnType<typeof editsOf> &
  ReturnType<typeof occurrenceWritesOf> &
  ReturnType<typeof successorWritesOf> &
  ReturnType<typeof conflictsOf> &
  Pick<Copy, 'subscribe' | 'refresh' | 'close'> & {
    /**
     * Sends pending changes and fetches what has changed, one run at a time. A failure of the service or the network
     * is in the report. Throws LedgerVersionError, and errors of the storage.
     */
    sync(): Promise<LedgerReport>
  }

/**
 * Opens the copy of a user's data on the device, with the pending changes. Reads return at once and need no network;
 * writes are shown at once, and have been stored when their promise resolves. This, every write and `refresh` throw
 * LedgerVersionError, and errors of the storage.
 */
export async function localLedger(options: LedgerOptions): Promise<Ledger> {
  const { client, storage, userId, locks = sharedLocks() } = options
  const { newId = newClientId, now = Date.now, limits = syncLimits } = options
  const bearer = bearerOf(client, userId)
  const newKey = () => `#${newId()}`
  const renamedKeys: Renames = new Map()
  // Nothing is renamed before the first write, so `steps` exist by then.
  const onRenames = (renames: Renames) => {
    for (const [id, key] of renames) renamedKeys.set(id, key)
    steps.rename(renames)
  }
  const copy = await openCopy({ storage, locks, userId, newKey, onRenames })
  const { subscribe, refresh, close } = copy
  const keyOf = keysOf(copy, renamedKeys)
  const steps = stepsOf(copy)
  const today = () => todayOf(copy.view(), now)
  const edits = { newId, keyOf, today, validate: validatorOf(copy, keyOf, today), steps }
  return {
    ...rowReadsOf(copy, keyOf),
    ...figureReadsOf(copy, keyOf, now),
    ...editsOf(copy, { ...edits, userId }),
    ...occurrenceWritesOf(copy, edits),
    ...successorWritesOf(copy, edits),
    ...conflictsOf(copy),
    subscribe,
    refresh,
    close,
    sync: () =>
      locks.request(`purse/${userId}/ledger/sync`, async () => {
        // The copy in memory may be behind other tabs or, after a write that failed, ahead of the storage.
        await refresh()
        return synchronise({ ...copy, client, bearer, limits })
      }),
  }
}
