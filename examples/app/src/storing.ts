import type { LedgerStorage } from 'purse-client'
import { observable } from './store.ts'

/** False after a failed write, and while the storage cannot be read. */
export const isStoring = observable(true)

/** Follows whether the calls of a storage succeed. After a failed write, only a write that succeeds counts as a recovery. */
export function watched(storage: LedgerStorage): LedgerStorage {
  let failed: 'list' | 'write' | undefined
  async function follow<T>(call: 'list' | 'write', run: () => Promise<T>): Promise<T> {
    try {
      const result = await run()
      if (call === 'write' || failed === call) failed = undefined
      return result
    } catch (error) {
      failed ??= call
      if (call === 'write') failed = call
      throw error
    } finally {
      if (isStoring.get() !== (failed === undefined)) isStoring.set(failed === undefined)
    }
  }
  return {
    list: (...page) => follow('list', () => storage.list(...page)),
    write: (entries) => follow('write', () => storage.write(entries)),
  }
}
