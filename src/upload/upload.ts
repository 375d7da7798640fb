import type { Owner } from '../database/owner.ts'
import { requireComplete } from '../database/ownership.ts'
import type { Draft } from '../failures/draft.ts'
import { CursorExpired } from '../failures/failures.ts'
import type { RemovalQueue } from '../queues/queues.ts'
import { repeated } from '../recurring/chain.ts'
import type { Upload } from './contract.ts'
import { decide } from './decide/decide.ts'
import type { Outcome } from './decide/outcomes.ts'
import { read } from './read.ts'
import { type Written, write } from './write.ts'

/** The outcomes of an upload's operations, and what has been written. */
export type Uploaded = Written & { outcomes: Outcome[] }

/**
 * Carries out the operations of an upload: reads what they depend on, decides what becomes of each, and writes that in one
 * transaction, unless what was read has changed since; then all is done again. A dry run is rolled back. Throws Invalid,
 * CursorExpired and TooBusy, having done nothing.
 */
export async function uploadOperations(
  owner: Owner,
  draft: Draft<Upload>,
  { epoch, removalQueue }: { epoch: number; removalQueue: RemovalQueue },
): Promise<Uploaded> {
  const upload = await requireComplete(owner, draft)
  return repeated(async () => {
    const found = await read(owner, upload, epoch)
    const decided = decide(upload, found)
    if (!found.canContinue) throw new CursorExpired()
    const written = await write({ owner, upload, found, decided, epoch })
    if (!written) return undefined
    if (decided.writes.has('delete account') && !upload.isDryRun) await removalQueue.send(found.user.id)
    return { ...written, outcomes: decided.outcomes }
  })
}
