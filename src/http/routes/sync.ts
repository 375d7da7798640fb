import { zValidator } from '@hono/zod-validator'
import { Hono, type MiddlewareHandler } from 'hono'
import { every } from 'hono/combine'
import * as z from 'zod/mini'
import type { newTransaction } from '../../contract/transactions.ts'
import type { FieldErrors } from '../../domain/failures.ts'
import { hashSecret } from '../../domain/tokens.ts'
import { acceptSync } from '../../services/sync/accept.ts'
import { showSync } from '../../services/sync/status.ts'
import type { App } from '../app-types.ts'
import { readIdempotencyKey } from '../idempotency-key.ts'
import { jsonBody } from '../json-body.ts'
import { presentSync } from '../present.ts'
import { listItems, readItem, type TransactionDraft } from '../transaction-list.ts'
import { isObject } from '../validate.ts'

/** Largest batch (decisions.md, Sync). */
const maxItems = 1_000
const maxBytes = 1024 * 1024

/** Offline batches (api.md §4.2, decisions.md Sync). */
export const syncRoutes = new Hono<App>()
  .post('/', batchOf<typeof newTransaction>(), async (c) => {
    const { owner, deps } = c.var
    const isLenient = preference(c.req.header('Prefer'), 'handling') === 'lenient'
    const { items, errors } = readItems(c.req.valid('json'))
    const { key, errors: keyErrors } = readIdempotencyKey(c)
    const bodyHash = await hashSecret(`${isLenient} ${await c.req.text()}`)
    const batch = { items, errors: { ...errors, ...keyErrors }, isLenient, idempotencyKey: key, bodyHash }
    const sync_id = await acceptSync(owner, deps.syncQueue, batch)
    if (isLenient) c.header('Preference-Applied', 'handling=lenient')
    const status_url = `${deps.config.links.appUrl}/api/transactions/sync/${sync_id}`
    return c.json({ message: 'Sync process started in the background.', sync_id, status_url })
  })
  .get('/:id', async (c) =>
    c.json(presentSync(await showSync(c.var.owner, c.var.deps.syncQueue, c.req.param('id')))),
  )

/** Items are checked one by one, so that a bad one can be named: the handler gets the body as it is. */
function batchOf<Item extends z.ZodMiniObject>() {
  return every(jsonBody(maxBytes), zValidator('json', z.unknown())) as unknown as MiddlewareHandler<
    App,
    string,
    { in: { json: { transactions: z.input<Item>[] } }; out: { json: unknown } }
  >
}

/** The value of a preference (RFC 7240): of several of one name the first counts; parameters are not looked at. */
function preference(header: string | undefined, name: string): string | undefined {
  for (const one of header?.split(',') ?? []) {
    const [, token, quoted, plain] = /^\s*([\w-]+)\s*=\s*(?:"([^"]*)"|([\w-]+))\s*(?:;|$)/.exec(one) ?? []
    if (token?.toLowerCase() === name) return (quoted ?? plain)?.toLowerCase()
  }
}

function readItems(body: unknown): { items: TransactionDraft[]; errors: FieldErrors } {
  const items = listItems(isObject(body) ? body.transactions : undefined, maxItems)
  return typeof items === 'string'
    ? { items: [], errors: { transactions: [items] } }
    : { items: items.map(readItem), errors: {} }
}
