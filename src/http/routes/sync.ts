import { Hono } from 'hono/tiny'
import {
  batchPath,
  maxBatchItems,
  maxBatchMegabytes,
  newBatch,
  newBatchHeaders,
  type ShownAcceptedBatch,
} from '../../contract/batches.ts'
import type { FieldErrors } from '../../domain/failures.ts'
import { sha256Hex } from '../../domain/tokens.ts'
import { acceptSync } from '../../services/sync/accept.ts'
import { showSync } from '../../services/sync/status.ts'
import type { App } from '../app-types.ts'
import { listItems, readItem, type TransactionDraft } from '../items.ts'
import { withMemoryForItems } from '../json-body.ts'
import { presentSync } from '../present.ts'
import { withTurnIfFree } from '../turns.ts'
import { bodyReadBy, header, hints, isObject } from '../validate.ts'

const maxBatchBytes = maxBatchMegabytes * 1024 * 1024

export const syncRoutes = new Hono<App>()
  .post('/', header(newBatchHeaders), bodyReadBy(newBatch, maxBatchBytes, readItems), async (c) => {
    const { syncQueue, config } = c.get('deps')
    const { values, errors: headerErrors } = c.req.valid('header')
    const isLenient = preference(values.Prefer, 'handling') === 'lenient'
    const prefersAsync = prefers(values.Prefer, 'respond-async')
    const { items, errors } = c.req.valid('json')
    const idempotencyKey = values['Idempotency-Key'] ?? null
    const bodyHash = idempotencyKey ? sha256Hex(`${isLenient} ${await c.req.text()}`) : ''
    const batch = { items, errors: { ...errors, ...headerErrors }, isLenient, idempotencyKey, bodyHash }
    const accept = () =>
      withTurnIfFree(c, 'batches', (hasTurn) =>
        acceptSync(c.get('owner'), syncQueue, batch, { mayLand: hasTurn && !prefersAsync }),
      )
    const sync_id = await withMemoryForItems(c, items.length, accept)
    if (isLenient) c.header('Preference-Applied', 'handling=lenient')
    const status_url = `${config.links.appUrl}/api/transactions/sync/${sync_id}`
    const message = 'Sync process started in the background.'
    return c.json<ShownAcceptedBatch>({ message, sync_id, status_url })
  })
  .get('/:id', hints('param', batchPath), async (c) => {
    const { id = '' } = c.req.valid('param')
    return c.json(presentSync(await showSync(c.get('owner'), c.get('deps').syncQueue, id)))
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

function readItems(body: unknown): { items: TransactionDraft[]; errors: FieldErrors } {
  const items = listItems(isObject(body) ? body.transactions : undefined, maxBatchItems)
  return typeof items === 'string'
    ? { items: [], errors: { transactions: [items] } }
    : { items: items.map(readItem), errors: {} }
}
