import { expect, test } from 'vitest'
import { type Ledger, memoryStorage } from '../../../../client/index.ts'
import { openDevice, refusalOf } from './ledger-world.ts'
import { expectTruth, twoDevices } from './two-devices.ts'

const required = 'The client id field is required.'
const tooLong = 'The client id field must not be greater than 64 characters.'
const unstorable = 'The client id field contains characters that cannot be stored.'

/** Client ids, with the error of those that the API refuses. */
const clientIds = [
  { what: 'nothing', id: '', error: required },
  { what: 'blanks', id: '   ', error: required },
  { what: '64 characters', id: 'x'.repeat(64) },
  { what: '65 characters', id: 'x'.repeat(65), error: tooLong },
  { what: '76 characters', id: 'x'.repeat(76), error: tooLong },
  { what: '64 emoji', id: '🫖'.repeat(64) },
  { what: '65 emoji', id: '🫖'.repeat(65), error: tooLong },
  { what: 'a NUL', id: 'nul\0', error: unstorable },
  { what: 'a lone surrogate', id: '\ud800', error: unstorable },
  { what: 'blanks at its ends', id: ' blanks ' },
]

const rowsToCreate = (expense: object) =>
  [
    ['account', { name: 'Wallet', type: 'cash', starting_balance: '1.00' }],
    ['category', { name: 'Books', type: 'expense' }],
    ['transaction', { ...expense, reference: 'cup' }],
  ] as Parameters<Ledger['create']>[]

test.each(clientIds)(
  'a client id of $what is refused at once, or its row is stored',
  async ({ id, error }) => {
    const { world, person, expense } = await twoDevices()
    const { ledger } = await openDevice(world, person, { newId: () => id })
    await ledger.sync()
    for (const [noun, fields] of rowsToCreate(expense)) {
      const errors = await refusalOf(() => ledger.create(noun, fields))
      expect(errors, noun).toEqual(error ? { client_id: [error] } : {})
      if (!error)
        expect(await refusalOf(() => ledger.create(noun, { ...fields, name: 'Other' })), noun).toEqual({
          client_id: ['The client id has already been taken.'],
        })
      expect(ledger.waiting(), noun).toHaveLength(error ? 0 : 1)
      expect(await ledger.sync(), noun).toMatchObject({ sent: error ? 0 : 1, rejected: 0, waiting: 0 })
    }
    await expectTruth(person, ledger)
  },
)

/** One that is stored, and one with each error. */
const pendingIds = ['nothing', '65 emoji', 'a lone surrogate', 'blanks at its ends']

test.each(clientIds.filter(({ what }) => pendingIds.includes(what)))(
  'a pending creation under a client id of $what ends as stored or rejected',
  async ({ id, error }) => {
    const { world, person, expense } = await twoDevices()
    for (const [noun, set] of rowsToCreate(expense)) {
      const storage = memoryStorage()
      // As an earlier version may have stored it.
      const next = { op: 'create', set, was: {} }
      const pending = { noun, key: `#${id}`, at: 1, sent: null, next, conflict: null, errors: null }
      await storage.write([[`purse/${person.id}/ledger/waits/${noun} #${id}`, JSON.stringify(pending)]])
      const { ledger } = await openDevice(world, person, { storage })
      expect(ledger.waiting(), noun).toHaveLength(1)
      const outcome = error ? { sent: 0, rejected: 1 } : { sent: 1, rejected: 0 }
      expect(await ledger.sync(), noun).toMatchObject({ ...outcome, waiting: 0, stopped: null })
      if (!error) continue
      expect(ledger.rejected(), noun).toMatchObject([{ noun, errors: { client_id: [error] } }])
      for (const one of ledger.rejected()) await ledger.discard(one)
      await ledger.sync()
      await expectTruth(person, ledger)
    }
  },
)
