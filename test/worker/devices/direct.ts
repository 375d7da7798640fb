import { expect } from 'vitest'
import type { CalendarDate } from '../../../src/domain/dates.ts'
import type { Dice } from '../../dice.ts'
import type { Json } from '../fixtures/world.ts'
import type { Device as AnyDevice } from './device.ts'
import {
  accountChange,
  categoryName,
  correction,
  difference,
  newAccount,
  newRule,
  newTransaction,
  occurrenceOf,
  ruleChange,
} from './edits.ts'
import type { Noun } from './ledger.ts'
import type { Outcome } from './network.ts'
import type { Stage } from './stage.ts'

type Device = AnyDevice<Stage>

/** What a device does immediately, through the single endpoints, batches and imports; each is tried three times at most. */
export const direct = {
  record: async (device: Device, dice: Dice) => {
    const set = withIds(newTransaction(device, dice))
    if (!set) return
    const operation = {
      op: 'create' as const,
      noun: 'transaction' as const,
      client_id: device.stage.newText(),
      set,
    }
    await persist(
      device,
      dice,
      'POST',
      '/api/transactions',
      { ...set, client_id: operation.client_id },
      ({ status, body }) => {
        if (status === 201) device.ledger.note([operation], [{ index: 0, outcome: 'created', id: body.id }])
      },
    )
  },
  'change a transaction': (device: Device, dice: Dice) =>
    change(device, dice, 'transaction', (row) => withIds(correction(device, dice, row))),
  'change an account': (device: Device, dice: Dice) =>
    change(device, dice, 'account', () => accountChange(device, dice)),
  'change a category': (device: Device, dice: Dice) =>
    change(device, dice, 'category', () => ({ name: categoryName(device, dice) })),
  'remove a transaction': (device: Device, dice: Dice) => remove(device, dice, 'transaction'),
  'close an account': (device: Device, dice: Dice) => remove(device, dice, 'account'),
  'drop a category': (device: Device, dice: Dice) => remove(device, dice, 'category'),
  'open an account': (device: Device, dice: Dice) =>
    persist(device, dice, 'POST', '/api/accounts', newAccount(device, dice)),
  'add a category': (device: Device, dice: Dice) =>
    persist(device, dice, 'POST', '/api/categories', { name: categoryName(device, dice), type: 'income' }),
  'change the profile': (device: Device, dice: Dice) => {
    const set = { name: device.stage.newText() }
    device.ledger.noteBlind('profile', device.userId, set)
    return persist(device, dice, 'PATCH', '/api/me', set)
  },
  'repeat a transaction': async (device: Device, dice: Dice) => {
    const rule = withIds(newRule(device, dice))
    if (rule) await persist(device, dice, 'POST', '/api/recurring', rule)
  },
  'change a rule': (device: Device, dice: Dice) =>
    change(device, dice, 'recurring', (row) => withIds(ruleChange(device, dice, row))),
  'divide a rule': (device: Device, dice: Dice) =>
    onOccurrence(device, dice, ({ id }, from) =>
      persist(device, dice, 'PUT', `/api/recurring/${id}`, { from, remind_days: dice.from(0, 9) }),
    ),
  'change an occurrence': (device: Device, dice: Dice) =>
    onOccurrence(device, dice, ({ id }, date) => {
      device.ledger.noteBlind('recurring', id, { exceptions: { [date]: null } })
      const body = difference(device, dice, date) ?? { amount: null }
      return persist(device, dice, 'PUT', `/api/recurring/${id}/occurrences/${date}`, body)
    }),
  'record an occurrence': (device: Device, dice: Dice) =>
    onOccurrence(device, dice, ({ id }, date) =>
      persist(device, dice, 'POST', `/api/recurring/${id}/occurrences/${date}/record`),
    ),
  'link an occurrence': (device: Device, dice: Dice) =>
    onOccurrence(device, dice, ({ id, account_id, to_account_id, type }, date) => {
      const isLike = (row: Json) =>
        row.account_id === account_id && row.to_account_id === to_account_id && row.type === type
      const like = [...device.copy.transactions.values()].filter(isLike)
      const transaction_id = dice.isOnceIn(4) ? null : (dice.of(like)?.id ?? 999_999)
      return persist(device, dice, 'PUT', `/api/recurring/${id}/occurrences/${date}`, { transaction_id })
    }),
  'drop a rule': (device: Device, dice: Dice) => remove(device, dice, 'recurring'),
  'upload a batch': async (device: Device, dice: Dice) => {
    const transactions = rows(device, dice, 12).map((row) => ({ ...row, client_id: device.stage.newText() }))
    if (transactions.length > 0)
      await persist(device, dice, 'POST', '/api/transactions/sync', { transactions })
    await device.stage.world.deliverSyncs()
  },
  import: async (device: Device, dice: Dice) => {
    const transactions = rows(device, dice, 20)
    if (transactions.length === 0) return
    await persist(device, dice, 'POST', '/api/import/store', { transactions }, ({ status, body }) => {
      if (status === 200 && !device.imports.includes(body.import.id)) device.imports.push(body.import.id)
    })
  },
  'undo an import': async (device: Device, dice: Dice) => {
    const id = dice.of(device.imports)
    if (id !== undefined)
      await persist(device, dice, 'DELETE', `/api/imports/${id}${dice.of(['', '?force=true'])}`)
  },
}

/** Does something about an occurrence of a rule that the service knows. */
async function onOccurrence(
  device: Device,
  dice: Dice,
  does: (rule: Json, date: CalendarDate) => Promise<void>,
): Promise<void> {
  const rule = storedRow(device, dice, 'recurring')
  const date = rule && occurrenceOf(rule, dice)
  if (date) await does(rule, date)
}

/** A dry run leaves nothing in the feed. */
export async function dryRun(device: Device, dice: Dice): Promise<void> {
  const transactions = rows(device, dice, 9)
  if (transactions.length === 0) return
  await expectNothingNew(device, dice, async () => {
    const response = await device.send(dice, 'POST', '/api/import/store', {
      body: { transactions, dry_run: true },
    })
    expect([200, 422]).toContain(response?.status)
  })
}

/** Removing the rows of deleted accounts in parts adds nothing to the feed. */
export async function removeDeleted(device: Device, dice: Dice): Promise<void> {
  const { world, tally } = device.stage
  if (world.queuedRemovals.length === 0) return
  tally.count('removals', world.queuedRemovals.length)
  await expectNothingNew(device, dice, () => world.removeDeleted())
}

async function expectNothingNew(device: Device, dice: Dice, happens: () => Promise<void>): Promise<void> {
  await device.catchUp(dice)
  const { cursor } = device.copy
  await happens()
  expect(await device.copy.page()).toMatchObject({ changes: [], cursor, has_more: false })
}

/** Sends a request until there is a response. */
async function persist(
  device: Device,
  dice: Dice,
  method: string,
  path: string,
  body?: Json,
  executed?: (outcome: Outcome) => void,
  headers: Record<string, string> = {},
): Promise<void> {
  const key =
    method === 'POST' && body && !body.client_id ? { 'Idempotency-Key': device.stage.newText() } : {}
  for (let attempt = 1; attempt <= 3; attempt++) {
    const options = { headers: { ...key, ...headers }, ...(body && { body }) }
    if (await device.send(dice, method, path, options, executed)) return
  }
}

const paths = {
  transaction: '/api/transactions',
  account: '/api/accounts',
  category: '/api/categories',
  recurring: '/api/recurring',
}
type Kept = keyof typeof paths

/** Changes a row, sometimes only if it still is as the device has it. */
async function change(device: Device, dice: Dice, noun: Kept, make: (row: Json) => Json): Promise<void> {
  const row = storedRow(device, dice, noun)
  const set = row && make(row)
  if (!set) return
  const isGuarded = dice.isOnceIn(2)
  device.ledger.noteBlind(noun, row.id, set)
  await persist(
    device,
    dice,
    'PUT',
    `${paths[noun]}/${row.id}`,
    set,
    ({ status, body }) => {
      if (isGuarded && status === 200) expect(body.version).toBe(row.version + 1)
      if (isGuarded && status === 412) expect(body.current.version).not.toBe(row.version)
    },
    isGuarded ? { 'If-Match': `"${row.version}"` } : {},
  )
}

async function remove(device: Device, dice: Dice, noun: Kept): Promise<void> {
  const row = storedRow(device, dice, noun)
  if (!row) return
  device.ledger.doomed.add(`${noun} ${row.id}`)
  await persist(device, dice, 'DELETE', `${paths[noun]}/${row.id}`)
}

/** A row that the service knows, as the device shows it. */
function storedRow(device: Device, dice: Dice, noun: Noun): Json {
  const row = device.shown(noun, dice)?.row
  return row?.id === undefined ? undefined : row
}

/** Transactions that refer to nothing that is still waiting to be sent. */
function rows(device: Device, dice: Dice, most: number): Json[] {
  return Array.from({ length: dice.from(1, most) }, () => withIds(newTransaction(device, dice))).filter(
    (row) => row,
  )
}

/** Undefined if something is referred to by a client id, which the single endpoints do not accept. */
function withIds(fields: Json): Json {
  const isLocal = (value: unknown) => typeof value === 'string' && value.startsWith('#')
  return fields && !Object.values(fields).some(isLocal) ? fields : undefined
}
