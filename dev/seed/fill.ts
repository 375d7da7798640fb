import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { addDays, type CalendarDate } from '../../src/domain/dates.ts'
import { DevError } from '../dev-error.ts'
import { type Api, demand } from './api.ts'
import { accounts, ownCategories, recurring } from './habits.ts'
import type { Row } from './household.ts'

/** The outcomes of the rows. `deleted` ones had been removed by a user, so they are not created again. */
export type Filled = { created: number; present: number; deleted: number }

const rowsPerBatch = 500
const batchLimitMs = 60_000
const askAgainMs = 100

const accountList = z.array(z.object({ id: z.int(), name: z.string() }))
const categoryList = z.array(z.object({ id: z.int(), name: z.string(), type: z.string() }))
const accepted = z.object({ sync_id: z.string() })
const progress = z.object({
  status: z.string(),
  counts: z.object({ created: z.int(), duplicate: z.int(), invalid: z.int(), failed: z.int() }),
})

/** Creates whatever the user lacks of the household's accounts, categories, recurring transactions and, by sync batches, rows. */
export async function fill(api: Api, rows: Row[], today: CalendarDate): Promise<Filled> {
  const accountIds = await provideAccounts(api)
  const categoryIds = await provideCategories(api)
  const items = rows.map(({ account, to_account, category, ...fields }) => ({
    ...fields,
    account_id: accountIds.get(account),
    to_account_id: to_account && accountIds.get(to_account),
    category_id: category && categoryIds.get(category),
  }))
  const filled = { created: 0, present: 0, deleted: 0 }
  for (let start = 0; start < items.length; start += rowsPerBatch) {
    const counts = await sync(api, items.slice(start, start + rowsPerBatch))
    filled.created += counts.created
    filled.present += counts.duplicate
    filled.deleted += counts.invalid
  }
  await provideRules(api, { accountIds, categoryIds, startsOn: addDays(today, 1) })
  return filled
}

type Household = { accountIds: Map<string, number>; categoryIds: Map<string, number>; startsOn: CalendarDate }

/** Creates the recurring transactions, expenses with `auto_record`. One that exists stays, and one that was deleted is refused. */
async function provideRules(api: Api, { accountIds, categoryIds, startsOn }: Household): Promise<void> {
  for (const [nth, { account, to, category, type, amount, texts, rrule }] of recurring.entries()) {
    const rule = {
      account_id: accountIds.get(account),
      to_account_id: to && accountIds.get(to),
      category_id: category && categoryIds.get(category),
      ...{ type, amount, description: texts[0], starts_on: startsOn, rrule },
      ...(type !== 'income' && { auto_record: true }),
    }
    await api('POST /recurring', rule, { 'Idempotency-Key': `seed-rule-${nth + 1}` })
  }
}

async function provideAccounts(api: Api): Promise<Map<string, number>> {
  const existing = accountList.parse(await demand(api, 'GET /accounts'))
  const isThere = ({ name }: { name: string }) => existing.some((account) => account.name === name)
  for (const account of accounts) if (!isThere(account)) await demand(api, 'POST /accounts', account)
  return idsByName(accountList.parse(await demand(api, 'GET /accounts')))
}

async function provideCategories(api: Api): Promise<Map<string, number>> {
  // An existing one is refused, which is fine.
  for (const category of ownCategories) await api('POST /categories', category)
  return idsByName(categoryList.parse(await demand(api, 'GET /categories')))
}

function idsByName(list: { id: number; name: string }[]): Map<string, number> {
  return new Map(list.map(({ id, name }) => [name, id]))
}

/** Sends a batch and waits until it is done. It is lenient, since a deleted row must not hold up the others. */
async function sync(api: Api, transactions: unknown[]) {
  const body = await demand(api, 'POST /transactions/sync', { transactions }, { Prefer: 'handling=lenient' })
  const { sync_id } = accepted.parse(body)
  for (const deadline = Date.now() + batchLimitMs; Date.now() < deadline; await sleep(askAgainMs)) {
    const { status, counts } = progress.parse(await demand(api, `GET /transactions/sync/${sync_id}`))
    if (status === 'completed') return counts
    if (status === 'failed') throw new DevError(`the batch ${sync_id} failed.`)
  }
  throw new DevError(`the batch ${sync_id} was not done within ${batchLimitMs / 1_000} seconds.`)
}
