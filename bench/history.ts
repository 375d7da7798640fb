import { setTimeout as sleep } from 'node:timers/promises'
import { createClient, LibsqlError } from '@libsql/client/http'
import type { CountedService } from './service.ts'

const copiesAtOnce = 5
const daysOfHistory = 3_650
const busyMs = 100

/**
 * Copies the first user's transactions, spread over the days of the last ten years, straight in the database, until there
 * are so many: a multiple of those.
 */
export async function extendHistory(
  service: CountedService,
  transactions: number,
  until: number,
): Promise<void> {
  const database = createClient({ url: service.databaseUrl })
  const copies = until / transactions - 1
  for (let first = 0; first < copies; first += copiesAtOnce) {
    const part = {
      sql: `
        insert into transactions (user_id, account_id, category_id, type, amount, description, transaction_date,
                                  created_at, updated_at)
        with recursive n(i) as (select :first union all select i + 1 from n where i + 1 < :end)
        select user_id, account_id, category_id, type, amount, description || ' ' || (i * :transactions + id),
               date('now', '-' || ((i * 7 + id * 31) % :days) || ' days'), created_at, updated_at
          from transactions, n where id <= :transactions`,
      args: {
        first,
        end: Math.min(copies, first + copiesAtOnce),
        days: daysOfHistory,
        transactions,
      },
    }
    await onceFree(() => database.execute(part))
  }
  database.close()
}

/** Sends a write again for as long as the server refuses it as busy, as it does during a checkpoint, without executing it. */
export async function onceFree<T>(write: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await write()
    } catch (error) {
      if (!(error instanceof LibsqlError && error.code === 'SQLITE_BUSY')) throw error
      await sleep(busyMs)
    }
  }
}
