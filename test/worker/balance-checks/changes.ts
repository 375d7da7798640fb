import { type Ledger, memoryStorage } from '../../../client/index.ts'
import { Dice } from '../../dice.ts'
import { randomTransaction } from '../../random-transaction.ts'
import { openDevice } from '../client/ledger/ledger-world.ts'
import { create, remove, update, upload } from '../fixtures/uploads.ts'
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

/** What a device does, and what a check that it breaks says of each change. */
export type Change = { way: string; named: Json; does: () => Promise<unknown> }

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
  return { way: 'create', named: { op: 'created', count: 1 }, does: () => post('/api/transactions', body) }
}

function syncs(place: Place, { post }: Device): Change {
  const transactions = [{ ...fields(place), force: true, client_id: newId(place) }, fields(place)]
  return {
    way: 'sync',
    named: { op: 'created' },
    does: () => post('/api/transactions/sync', { transactions }),
  }
}

function syncsLater(place: Place, { token }: Device): Change {
  const { world } = place
  const body = { transactions: [{ ...fields(place), force: true, client_id: newId(place) }] }
  const does = async () => {
    const headers = { Prefer: 'respond-async' }
    await world.call('POST', '/api/transactions/sync', { body, headers, token })
    await world.deliverSyncs()
  }
  return { way: 'sync by the queue', named: { op: 'created', cause: null }, does }
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
    does: () => sendFile({ world, person }, to, file),
  }
}

/** A statement with its balance, which becomes a check. */
function importsStatement({ world, pick, accounts, made }: Place, person: Device): Change {
  const day = pick(...days).replaceAll('-', '')
  const file = `OFXHEADER:100\n\n<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>EUR
<BANKACCTFROM><BANKID>1<ACCTID>2<ACCTTYPE>CHECKING</BANKACCTFROM><BANKTRANLIST>
<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>${day}<TRNAMT>-${pick(...amounts)}<FITID>F${made}<NAME>Shop</STMTTRN></BANKTRANLIST>
<LEDGERBAL><BALAMT>${pick(...amounts)}<DTASOF>${day}</LEDGERBAL></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>`
  return {
    way: 'statement',
    named: { op: 'created', cause: 'import' },
    does: () => sendFile({ world, person }, `bank/store?account_id=${pick(...accounts).id}`, file),
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
  return { way: 'upload', named: { cause: null }, does: () => upload(device, operations) }
}

/** Corrects many rows in one upload, each of which is logged by itself. */
function corrects({ pick }: Place, device: Device, rows: Json[]): Change {
  const operations = rows
    .slice(0, 40)
    .map(({ id }) => update('transaction', id, { amount: pick(...amounts) }))
  return { way: 'corrections', named: { op: 'updated', count: 1 }, does: () => upload(device, operations) }
}

function setsStart({ pick, accounts }: Place, { put }: Device): Change {
  const body = { starting_balance: pick('100.00', '105.00') }
  return {
    way: 'starting balance',
    named: { op: 'starting_balance', count: 0, after: body },
    does: () => put(`/api/accounts/${pick(...accounts).id}`, body),
  }
}

/** Closes an account, or opens it again, which moves no balance. */
function ends({ pick, accounts }: Place, { put }: Device): Change {
  const body = { closed_on: pick(...days, null) }
  return {
    way: 'close an account',
    named: { op: 'none' },
    does: () => put(`/api/accounts/${pick(...accounts).id}`, body),
  }
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
    does: () => put(`/api/transactions/${id}`, body),
  }
}

function deletes(device: Device, { id }: Json): Change {
  const named = { op: 'deleted', transaction_id: id, after: null }
  return { way: 'delete', named, does: () => device.delete(`/api/transactions/${id}`) }
}

function joins({ pick }: Place, { post }: Device, row: Json, rows: Json[]): Change {
  const alike = rows.filter(({ id, amount }) => id !== row.id && amount === row.amount)
  const body = { kind: pick('duplicate', 'transfer'), ids: [row.id, pick(...alike)?.id] }
  return { way: 'join', named: { cause: 'match' }, does: () => post('/api/matches/join', body) }
}

const separates = ({ post }: Device, { id }: Json): Change => ({
  way: 'separate',
  named: { cause: 'match' },
  does: () => post('/api/matches/separate', { id }),
})

async function undoes({ pick }: Place, device: Device): Promise<Change> {
  const imports: Json[] = (await device.get('/api/imports')).body
  const id = pick(...imports)?.id
  const does = () => device.delete(`/api/imports/${id}?force=true`)
  return { way: 'undo', named: { cause: 'undo', import_id: id }, does }
}

/** Deletes an account, and opens another one. */
function closes({ accounts, person }: Place, device: Device, gone: Json): Change {
  const does = async () => {
    await device.delete(`/api/accounts/${gone.id}`)
    const index = accounts.indexOf(gone)
    if (index >= 0) accounts.splice(index, 1, await openAccount(person, { name: 'Another' }))
  }
  return { way: 'delete an account', named: { op: 'account_deleted', transaction_id: null }, does }
}

/** Edits the ledger of a device offline, which shows at once what the service does once it is sent. */
async function ledgerEdits(place: Place, { ledger }: Device): Promise<Change> {
  const { pick } = place
  await ledger.sync()
  const row = pick(...ledger.transactions({ per_page: 500 }).data)
  const entered = fields(place)
  const edit = pick('create', ...(row ? ['update', 'remove'] : []))
  const does = async () => {
    if (edit === 'create')
      await ledger.create('transaction', {
        ...entered,
        account_id: String(entered.account_id),
        to_account_id: entered.to_account_id && String(entered.to_account_id),
        category_id: String(entered.category_id),
      } as never)
    else if (edit === 'update') await ledger.update('transaction', row?.key ?? '', { amount: entered.amount })
    else await ledger.remove('transaction', row?.key ?? '')
    await ledger.sync()
    for (const one of ledger.conflicts()) await ledger.keepTheirs(one)
    for (const one of ledger.rejected()) await ledger.discard(one)
    await ledger.sync()
  }
  const op = { create: 'created', update: 'updated', remove: 'deleted' }[edit]
  const named = { op, count: 1, ...(edit !== 'create' && { transaction_id: row?.id }) }
  return { way: `ledger: ${edit}`, named, does }
}
