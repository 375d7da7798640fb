import { type Ledger, LedgerError, memoryStorage } from '../../../client/index.ts'
import { Dice } from '../../dice.ts'
import { randomTransaction } from '../../random-transaction.ts'
import { openDevice } from '../client/ledger/ledger-world.ts'
import { create, remove, update } from '../fixtures/uploads.ts'
import { createWorld, type Json, openAccount, type Person } from '../fixtures/world.ts'
import { sendFile } from '../imports/send-file.ts'
import { createHousehold } from '../laws/every-route.ts'

export const days = ['2026-08-31', '2026-09-10', '2026-09-30', '2026-10-15', '2026-10-31', '2026-11-05']
const amounts = ['5.00', '7.00', '11.00']

/** A user with three devices, each with a ledger, and accounts that are checked at the ends of months and in between. */
export async function createPlace(seed: number) {
  const world = createWorld({ GENERAL_LIMIT_ENABLED: 'false' })
  const household = await createHousehold(world)
  const { person, checking, cash } = household
  const { email, password } = person
  const signedIn = await world.call('POST', '/api/login', { body: { email, password } })
  const named = await person.post('/api/tokens', { name: 'Script', abilities: ['read', 'write'] })
  const devices: Device[] = []
  for (const token of [person.token, signedIn.body.access_token, named.body.access_token] as string[]) {
    const { ledger } = await openDevice(world, { id: person.id, token }, { storage: memoryStorage() })
    const tokenId = Number(token.split('|')[0])
    devices.push({ ...person, ...world.as(token), token, tokenId, ledger })
  }
  const accounts: Json[] = [checking, cash, await openAccount(person, { name: 'Savings' })]
  const dice = new Dice(seed)
  const pick = <T>(...choices: T[]): T => dice.oneOf(choices)
  return { ...household, dice, pick, devices, accounts, made: 0 }
}
export type Place = Awaited<ReturnType<typeof createPlace>>
export type Device = Person & { tokenId: number; ledger: Ledger }

/**
 * What a device does, and what a check that it breaks says of each change. `does` may override reconciled periods, which
 * refuse the others, except those that `isFree` of them.
 */
export type Change = {
  way: string
  named: Json
  isFree?: boolean
  does: (override: boolean) => Promise<Json>
}

const inBody = (override: boolean) => (override ? { override_reconciled: true } : {})
const asAnswer = (override: boolean) => (override ? '&reconciled=add' : '')

const fields = ({ dice, accounts, category }: Place) =>
  randomTransaction(dice, {
    accounts: accounts.map(({ id }): number => id),
    categories: [category.id as number],
    ...{ days, amount: () => dice.oneOf(amounts), text: () => dice.oneOf(['Coffee', null]) },
  })

/** Chooses one of all ways to change something. */
export async function planChange(place: Place, device: Device): Promise<Change> {
  const { pick, accounts } = place
  const rows: Json[] = (await device.get('/api/transactions?per_page=100')).body.data
  const row = pick(...rows)
  const ways = [
    ...[() => records(place, device), () => syncs(place, device), () => syncsLater(place, device)],
    ...[() => importsRows(place, device), () => importsStatement(place, device)],
    ...[() => uploads(place, device, row), () => setsStart(place, device), () => ends(place, device)],
    ...[
      () => reconciles(place, device),
      () => reconciles(place, device),
      () => uploadsOpening(place, device),
    ],
    ...[() => ledgerEdits(place, device), () => ledgerEdits(place, device)],
    ...(row ? [...Array(3).fill(() => edits(place, device, row)), () => deletes(device, row)] : []),
    ...(row ? [() => joins(place, device, row, rows), () => separates(device, row)] : []),
    ...(rows.length > 9 ? [() => corrects(place, device, rows)] : []),
    () => undoes(place, device),
  ]
  const isLast = pick(...Array.from({ length: 25 }, (_, nth) => nth === 0))
  return isLast ? closes(place, device, pick(...accounts)) : pick(...ways)()
}

const newId = (place: Place) => `made-${++place.made}`

function records(place: Place, { post }: Device): Change {
  const body = { ...fields(place), force: true }
  const does = (override: boolean) => post('/api/transactions', { ...body, ...inBody(override) })
  return { way: 'create', named: { op: 'created', count: 1 }, does }
}

function syncs(place: Place, { post }: Device): Change {
  const transactions = [{ ...fields(place), force: true, client_id: newId(place) }, fields(place)]
  return {
    way: 'sync',
    named: { op: 'created' },
    isFree: true,
    does: () => post('/api/transactions/sync', { transactions }),
  }
}

function syncsLater(place: Place, { token }: Device): Change {
  const { world } = place
  const body = { transactions: [{ ...fields(place), force: true, client_id: newId(place) }] }
  const does = async () => {
    const headers = { Prefer: 'respond-async' }
    const response = await world.call('POST', '/api/transactions/sync', { body, headers, token })
    await world.deliverSyncs()
    return response
  }
  return { way: 'sync by the queue', named: { op: 'created', cause: null }, isFree: true, does }
}

function importsRows({ world, pick, accounts }: Place, person: Device): Change {
  const lines = days
    .slice(0, 5)
    .map((day) => `${day},${pick('-', '')}${pick(...amounts)},${pick('Coffee', 'Rent')}`)
  const file = ['date,amount,description', ...lines].join('\n')
  const to = `store?account_id=${pick(...accounts).id}&match=off${pick('', '&dry_run=true')}`
  return {
    way: 'import',
    named: { op: 'created', cause: 'import' },
    does: (override) => sendFile({ world, person }, `${to}${asAnswer(override)}`, file),
  }
}

/** A statement with its balance, which becomes a check. */
function importsStatement({ world, pick, accounts, made }: Place, person: Device): Change {
  const day = pick(...days).replaceAll('-', '')
  const file = `OFXHEADER:100\n\n<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>EUR
<BANKACCTFROM><BANKID>1<ACCTID>2<ACCTTYPE>CHECKING</BANKACCTFROM><BANKTRANLIST>
<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>${day}<TRNAMT>-${pick(...amounts)}<FITID>F${made}<NAME>Shop</STMTTRN></BANKTRANLIST>
<LEDGERBAL><BALAMT>${pick(...amounts)}<DTASOF>${day}</LEDGERBAL></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>`
  const to = `bank/store?account_id=${pick(...accounts).id}`
  return {
    way: 'statement',
    named: { op: 'created', cause: 'import' },
    does: (override) => sendFile({ world, person }, `${to}${asAnswer(override)}`, file),
  }
}

function uploads(place: Place, device: Device, row: Json): Change {
  const { pick } = place
  const operations = [
    create('transaction', newId(place), fields(place)),
    ...(row
      ? [pick(update('transaction', row.id, { amount: pick(...amounts) }), remove('transaction', row.id))]
      : []),
  ]
  return { way: 'upload', named: { cause: null }, does: uploading(device, operations) }
}

const uploading =
  ({ post }: Device, operations: object[]) =>
  (override: boolean) =>
    post('/api/changes', { ops: operations.map((one) => ({ ...one, ...inBody(override) })) })

/** Opens a period in the upload that changes it, or reconciles one that was open. */
function uploadsOpening(place: Place, device: Device): Change {
  const { pick, accounts } = place
  const [account, through] = [pick(...accounts), pick(null, null, ...days)]
  const operations = [
    update('account', account.id, { reconciled_through: through }),
    create('transaction', newId(place), fields(place)),
  ]
  const isFree = through === null
  return {
    way: 'upload with a period',
    named: { op: 'created' },
    isFree,
    does: uploading(device, operations),
  }
}

/** Reconciles a period by a check, which may not be right, or opens it. */
async function reconciles({ pick, accounts }: Place, { get, put }: Device): Promise<Change> {
  const checks: Json[] = (await get('/api/balance-checks')).body
  const ok = checks.filter(({ state }) => state === 'ok')
  const check = pick(...ok, ...ok, ...checks)
  const [id, through] = [
    check?.account_id ?? pick(...accounts).id,
    pick(check?.date ?? null, check?.date, null),
  ]
  const does = () => put(`/api/accounts/${id}`, { reconciled_through: through ?? null })
  return { way: through ? 'reconcile' : 'open a period', named: { op: 'none' }, does }
}

/** Corrects many rows in one upload, each of which is logged by itself. */
function corrects({ pick }: Place, device: Device, rows: Json[]): Change {
  const operations = rows
    .slice(0, 40)
    .map(({ id }) => update('transaction', id, { amount: pick(...amounts) }))
  return { way: 'corrections', named: { op: 'updated', count: 1 }, does: uploading(device, operations) }
}

function setsStart({ pick, accounts }: Place, { put }: Device): Change {
  const [body, { id }] = [{ starting_balance: pick('100.00', '105.00') }, pick(...accounts)]
  return {
    way: 'starting balance',
    named: { op: 'starting_balance', count: 0, after: body },
    does: (override) => put(`/api/accounts/${id}`, { ...body, ...inBody(override) }),
  }
}

/** Closes an account, or opens it again, which moves no balance. */
function ends({ pick, accounts }: Place, { put }: Device): Change {
  const [body, { id }] = [{ closed_on: pick(...days, null) }, pick(...accounts)]
  return { way: 'close an account', named: { op: 'none' }, does: () => put(`/api/accounts/${id}`, body) }
}

function edits({ pick, accounts }: Place, { put }: Device, { id }: Json): Change {
  const body = pick<object>(
    { amount: pick(...amounts) },
    { transaction_date: pick(...days) },
    { type: 'income', account_id: pick(...accounts).id, to_account_id: null },
    { description: 'Words' },
  )
  return {
    way: `edit ${Object.keys(body)[0]}`,
    named: { op: 'updated', transaction_id: id },
    does: (override) => put(`/api/transactions/${id}`, { ...body, ...inBody(override) }),
  }
}

function deletes(device: Device, { id }: Json): Change {
  const named = { op: 'deleted', transaction_id: id, after: null }
  const does = (override: boolean) =>
    device.delete(`/api/transactions/${id}${override ? '?override_reconciled=true' : ''}`)
  return { way: 'delete', named, does }
}

function joins({ pick }: Place, { post }: Device, row: Json, rows: Json[]): Change {
  const alike = rows.filter(({ id, amount }) => id !== row.id && amount === row.amount)
  const body = { kind: pick('duplicate', 'transfer'), ids: [row.id, pick(...alike)?.id] }
  const does = (override: boolean) => post('/api/matches/join', { ...body, ...inBody(override) })
  return { way: 'join', named: { cause: 'match' }, does }
}

const separates = ({ post }: Device, { id }: Json): Change => ({
  way: 'separate',
  named: { cause: 'match' },
  does: (override) => post('/api/matches/separate', { id, ...inBody(override) }),
})

async function undoes({ pick }: Place, device: Device): Promise<Change> {
  const imports: Json[] = (await device.get('/api/imports')).body
  const id = pick(...imports)?.id
  const does = () => device.delete(`/api/imports/${id}?force=true`)
  return { way: 'undo', named: { cause: 'undo', import_id: id }, isFree: true, does }
}

/** Deletes an account, and opens another one. */
function closes({ accounts, person }: Place, device: Device, gone: Json): Change {
  const does = async () => {
    const response = await device.delete(`/api/accounts/${gone.id}`)
    const index = accounts.indexOf(gone)
    if (index >= 0) accounts.splice(index, 1, await openAccount(person, { name: 'Another' }))
    return response
  }
  const named = { op: 'account_deleted', transaction_id: null }
  return { way: 'delete an account', named, isFree: true, does }
}

/** Edits the ledger of a device offline, which shows at once what the service does once it is sent. */
async function ledgerEdits(place: Place, { ledger }: Device): Promise<Change> {
  const { pick } = place
  await ledger.sync()
  const row = pick(...ledger.transactions({ per_page: 500 }).data)
  const entered = fields(place)
  const edit = pick('create', ...(row ? ['update', 'remove'] : []))
  const write = async (options: { override_reconciled: boolean }) => {
    if (edit === 'remove') return ledger.remove('transaction', row?.key ?? '', options)
    if (edit === 'update')
      return ledger.update('transaction', row?.key ?? '', { amount: entered.amount }, options)
    const keys = {
      account_id: String(entered.account_id),
      to_account_id: entered.to_account_id && String(entered.to_account_id),
      category_id: String(entered.category_id),
    }
    return ledger.create('transaction', { ...entered, ...keys } as never, options)
  }
  const does = async (override: boolean) => {
    const refusal = await write({ override_reconciled: override }).catch((error: unknown) => {
      if (error instanceof LedgerError && error.reconciledThrough) return error.errors
      throw error
    })
    await ledger.sync()
    for (const one of ledger.conflicts()) await ledger.keepTheirs(one)
    for (const one of ledger.rejected()) await ledger.discard(one)
    await ledger.sync()
    return { body: refusal }
  }
  const op = { create: 'created', update: 'updated', remove: 'deleted' }[edit]
  const named = { op, count: 1, ...(edit !== 'create' && { transaction_id: row?.id }) }
  return { way: `ledger: ${edit}`, named, does }
}
