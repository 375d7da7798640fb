import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { findDifferences } from '../../../src/database/check.ts'
import { createWorld, type Json } from '../fixtures/world.ts'
import { sendFile } from '../imports/send-file.ts'
import { createHousehold, openWorldDatabase } from '../laws/every-route.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-20T12:00:00Z') })
})
afterEach(() => {
  vi.useRealTimers()
})

/** An OFX statement with one entry of −12.50, and a ledger balance. */
const ofx = ({
  asOf = '20261031',
  balance = '87.50',
  server = '20261102',
  amount = '-12.50',
  day = '20261012',
} = {}) =>
  `OFXHEADER:100\nDATA:OFXSGML\n\n<OFX><SIGNONMSGSRSV1><SONRS><DTSERVER>${server}</SONRS></SIGNONMSGSRSV1>
<BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>EUR<BANKACCTFROM><BANKID>1<ACCTID>2<ACCTTYPE>CHECKING</BANKACCTFROM>
<BANKTRANLIST><STMTTRN><TRNTYPE>DEBIT<DTPOSTED>${day}<TRNAMT>${amount}<FITID>F${day}<NAME>Shop</STMTTRN></BANKTRANLIST>
<LEDGERBAL><BALAMT>${balance}<DTASOF>${asOf}</LEDGERBAL></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>`

async function createBank() {
  const household = await createHousehold(createWorld())
  const { person, checking, world } = household
  const send = async (file: string, query = ''): Promise<Json> => {
    const { status, body } = await sendFile(
      { world, person },
      `bank/store?account_id=${checking.id}${query}`,
      file,
    )
    expect([status, body.errors]).toEqual([200, undefined])
    return body.import
  }
  const checks = async (): Promise<Json[]> => (await person.get('/api/balance-checks')).body
  return { ...household, send, checks }
}

test('the balance of a statement becomes a check, which goes when the import is undone', async () => {
  const { world, person, send, checks } = await createBank()
  expect((await send(ofx(), '&dry_run=true')).balance_checks).toMatchObject([{ state: 'ok', difference: 0 }])
  expect(await checks()).toEqual([])
  const { id, balance_checks, starting_balance } = await send(ofx())
  const [check] = await checks()
  expect(check).toMatchObject({
    date: '2026-10-31',
    balance: '87.50',
    source: 'import',
    import_id: id,
    state: 'ok',
  })
  expect(balance_checks).toEqual([
    {
      id: check?.id,
      date: '2026-10-31',
      balance: '87.50',
      ledger_balance: 87.5,
      difference: 0,
      state: 'ok',
      conflict: null,
    },
  ])
  expect(starting_balance).toBe(null)
  expect(await findDifferences(openWorldDatabase(world))).toEqual([])
  await person.delete(`/api/imports/${id}`)
  expect(await checks()).toEqual([])
})

test('undoing an import says which checks of others it breaks', async () => {
  const { person, checking, expense, send, checks } = await createBank()
  const add = async (date: string, balance: string) =>
    (await person.post('/api/balance-checks', { account_id: checking.id, date, balance })).body
  const before = await add('2026-10-31', '87.50')
  const { id } = await send(ofx())
  const after = await add('2026-11-01', '87.50')
  expect([before, after].map(({ difference }) => difference)).toEqual([12.5, 0])
  const { status, body } = await person.delete(`/api/imports/${id}`)
  expect(await checks()).toMatchObject([{ id: before.id }, { id: after.id }])
  const broken = (await checks()).filter(({ state }) => state === 'broken')
  expect(broken).toMatchObject([{ difference: 12.5 }, { difference: 12.5 }])
  expect([status, body]).toEqual([200, { broken_checks: broken }])
  const again = await send(ofx())
  await person.post('/api/transactions', { ...expense(), amount: 3, transaction_date: '2026-10-01' })
  expect(await person.delete(`/api/imports/${again.id}`)).toMatchObject({ status: 204, text: '' })
})

const mt940 = (...entries: string[]) =>
  `:20:X\n:25:1\n:28C:1\n:60F:C261001EUR100,00\n${entries.map((one) => `:61:${one}NTRF\n`).join('')}:62F:C261031EUR87,50\n-\n`

test('the opening balance of a statement is the check of the day before its first entry', async () => {
  const { person, send, checks } = await createBank()
  const { id, balance_checks } = await send(mt940('261012D10,00', '261005D2,50'))
  expect(balance_checks).toMatchObject([
    { date: '2026-10-04', balance: '100.00', state: 'ok' },
    { date: '2026-10-31', balance: '87.50', state: 'ok' },
  ])
  // The table may begin in the midst of a day.
  await send('Date,Amount,Balance\n2026-09-01,-10.00,90.00\n2026-09-02,-5.00,85.00\n2026-09-03,1.00,86.00\n')
  expect((await checks()).map(({ date }) => date).sort()).toEqual(['2026-09-03', '2026-10-04', '2026-10-31'])
  await person.delete(`/api/imports/${id}`)
  expect((await checks()).map(({ date }) => date)).toEqual(['2026-09-03'])
})

test('a statement without entries has a closing balance alone', async () => {
  const { send } = await createBank()
  const { balance_checks } = await send(mt940().replace('EUR100,00', 'EUR87,50'))
  expect(balance_checks).toMatchObject([{ date: '2026-10-31', balance: '87.50' }])
})

test('a row of the file that is deleted breaks the check, and the file brings both back', async () => {
  const { person, send, checks } = await createBank()
  await send(ofx())
  const [row] = (await person.get('/api/transactions')).body.data
  await person.delete(`/api/transactions/${row.id}`)
  const [check] = await checks()
  expect((await person.get(`/api/balance-checks/${check?.id}`)).body.broken_by).toMatchObject([
    { op: 'deleted', transaction_id: row.id, by: { kind: 'session' } },
  ])
  await send(ofx(), '&reimport_deleted=true')
  expect(await checks()).toMatchObject([{ state: 'ok' }])
})

test('only a day that was over is checked', async () => {
  const { send, checks } = await createBank()
  // Downloaded at noon: more may be booked on that day.
  await send(ofx({ asOf: '20261105', server: '20261105' }))
  expect(await checks()).toEqual([])
  await send(ofx({ asOf: '20261105', server: '20261106' }), '&balance_checks=off')
  expect(await checks()).toEqual([])
  const table = (last: string) =>
    `Date,Amount,Balance,Description\n2026-11-17,-10.00,90.00,Shop\n2026-11-18,-5.00,85.00,Bakery\n${last}`
  await send(table('2026-11-19,-5.00,80.00,Bakery\n'))
  expect((await checks()).map(({ date, balance }) => [date, balance])).toEqual([['2026-11-18', '85.00']])
})

test('a file of noon, and that of the next day, turn no check red', async () => {
  const { send, checks } = await createBank()
  const rows = ['2026-11-18,-10.00,90.00,Shop', '2026-11-19,-5.00,85.00,Bakery', '2026-11-20,-1.00,84.00,Tea']
  const table = () => ['Date,Amount,Balance,Description', ...rows].join('\n')
  await send(table())
  rows.push('2026-11-20,-2.00,82.00,Lunch', '2026-11-21,-3.00,79.00,Cake')
  vi.setSystemTime('2026-11-21T12:00:00Z')
  await send(table())
  const stated = (await checks()).map(({ date, balance, state }) => [date, balance, state])
  expect(stated.slice(-2)).toEqual([
    ['2026-11-19', '85.00', 'ok'],
    ['2026-11-20', '82.00', 'ok'],
  ])
  expect(stated.filter(([, , state]) => state === 'broken')).toEqual([])
})

test('a later file replaces the balance of an earlier one, but none that a person has entered', async () => {
  const { person, checking, send, checks } = await createBank()
  await send(ofx({ balance: '80.00' }))
  await send(ofx())
  expect(await checks()).toMatchObject([{ balance: '87.50', version: 2, state: 'ok' }])
  const september = { account_id: checking.id, date: '2026-09-30', balance: 99 }
  const { body } = await person.post('/api/balance-checks', september)
  const { balance_checks } = await send(ofx({ asOf: '20260930', day: '20260911', balance: '100.00' }))
  expect(balance_checks).toMatchObject([
    { id: null, date: '2026-09-30', conflict: { id: body.id, balance: '99.00', file: '100.00' } },
  ])
})

test('a first import says which starting balance would make it right', async () => {
  const { send } = await createBank()
  const { balance_checks, starting_balance } = await send(ofx({ balance: '1087.50' }))
  expect(balance_checks).toMatchObject([{ state: 'broken', difference: -1_000 }])
  expect(starting_balance).toBe('1100.00')
})
