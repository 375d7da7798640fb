import type { Context } from 'hono'
import { Hono } from 'hono/tiny'
import { firstErrors, maxErrors } from '../domain/field-errors.ts'
import type { App } from '../http/app-types.ts'
import { bodyWith, header, isObject, lenientFields } from '../http/validate.ts'
import { sha256Hex } from '../identity/tokens.ts'
import { listItems, readItems } from '../transactions/items.ts'
import { acceptSync, itemKey, type SyncBatch } from './accept.ts'
import {
  batchPath,
  maxBatchItems,
  maxBatchMegabytes,
  newBatch,
  newBatchHeaders,
  type ShownAcceptedBatch,
} from './contract.ts'
import { presentSync } from './present.ts'
import { showSync } from './status.ts'

const maxBatchBytes = maxBatchMegabytes * 1024 * 1024

export const syncRoutes = new Hono<App>()
  .post('/', header(newBatchHeaders), bodyWith(newBatch, maxBatchBytes, readBatch), async (c) => {
    const { syncQueue, config } = c.get('deps')
    const { values, errors: headerErrors } = c.req.valid('header')
    const isLenient = handlesLeniently(values.Prefer)
    const prefersAsync = prefers(values.Prefer, 'respond-async')
    const { items, errors, invalidItems } = c.req.valid('json')
    const idempotencyKey = values['Idempotency-Key'] ?? null
    const bodyHash = idempotencyKey ? sha256Hex(`${isLenient} ${await c.req.text()}`) : ''
    const batch = {
      items,
      errors: { ...errors, ...headerErrors },
      invalidItems,
      isLenient,
      idempotencyKey,
      bodyHash,
    }
    c.get('memory').countItems(items.length)
    const sync_id = await acceptSync(c.get('owner'), syncQueue, batch, { mayProcess: !prefersAsync })
    if (isLenient) c.header('Preference-Applied', 'handling=lenient')
    const status_url = `${config.links.appUrl}/api/transactions/sync/${sync_id}`
    const message = 'Sync process started in the background.'
    return c.json<ShownAcceptedBatch>({ message, sync_id, status_url })
  })
  .get('/:id', lenientFields('param', batchPath), async (c) => {
    const { id = '' } = c.req.valid('param')
    const { syncQueue, config } = c.get('deps')
    return c.json(presentSync(await showSync(c.get('owner'), id, { syncQueue, budgets: config.budgets })))
  })

/** The value of a preference (RFC 7240): the first of a name counts, and parameters are ignored. */
function preference(header: string | undefined, name: string): string | undefined {
  for (const one of header?.split(',') ?? []) {
    const [, token, quoted, plain] = /^\s*([\w-]+)\s*=\s*(?:"([^"]*)"|([\w-]+))\s*(?:;|$)/.exec(one) ?? []
    if (token?.toLowerCase() === name) return (quoted ?? plain)?.toLowerCase()
  }
}

/** True if a preference that has no value is among those of the header (RFC 7240); its parameters are ignored. */
function prefers(header: string | undefined, name: string): boolean {
  return (header ?? '').split(',').some((one) => one.split(';', 1)[0]?.trim().toLowerCase() === name)
}

const handlesLeniently = (header: string | undefined) => preference(header, 'handling') === 'lenient'

type ReadBatch = Pick<SyncBatch, 'items' | 'errors' | 'invalidItems'>

/** Reads a batch. One that is refused because of more than a hundred errors keeps none of its items. */
function readBatch(body: unknown, c: Context<App>): ReadBatch {
  const list = listItems(isObject(body) ? body.transactions : undefined, maxBatchItems)
  if (typeof list === 'string') return { items: [], errors: { transactions: [list] }, invalidItems: [] }
  const items = readItems(list)
  const found = items.flatMap(({ errors }, index) =>
    Object.entries(errors).map(([field, texts]) => [itemKey(index, field), texts] as const),
  )
  if (found.length <= maxErrors || handlesLeniently(c.req.header('Prefer')))
    return { items, errors: {}, invalidItems: [] }
  const invalidItems = items.flatMap(({ complete }, index) => (complete ? [] : [index]))
  return { items: [], errors: firstErrors(Object.fromEntries(found), 'transactions'), invalidItems }
}
