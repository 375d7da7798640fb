import * as z from 'zod/mini'
import { doc, field } from '../domain/doc.ts'
import * as shown from '../domain/shown.ts'
import { accountKinds, accountTypes } from '../domain/types.ts'
import { versionConflict } from '../domain/versions.ts'
import { closedOn, kindOfAccount, reconciledThrough } from './contract.ts'

// The responses; contract.ts has the requests.

const checking = () => ({
  id: 1,
  user_id: 1,
  name: 'Checking',
  type: 'bank' as const,
  kind: 'current' as const,
  starting_balance: '1250.00',
  notes: null,
  closed_on: null,
  reconciled_through: null,
  version: 1,
  created_at: shown.exampleTime,
  updated_at: shown.exampleTime,
  balance: 1237.5,
})

export const account = shown.object(
  'Account',
  'Where money is kept.',
  {
    id: shown.id(),
    user_id: shown.id(),
    name: z.string(),
    type: z.enum(accountTypes),
    kind: field(z.nullable(z.enum(accountKinds)), doc(kindOfAccount)),
    starting_balance: shown.amount(),
    notes: z.nullable(z.string()),
    closed_on: field(z.nullable(shown.calendarDate()), doc(closedOn)),
    reconciled_through: field(z.nullable(shown.calendarDate()), doc(reconciledThrough)),
    version: shown.version(),
    created_at: shown.timestamp(),
    updated_at: shown.timestamp(),
    balance: field(
      shown.total(),
      doc('starting_balance + income − expenses − transfers out + transfers in.'),
    ),
  },
  checking(),
)
export type ShownAccount = z.output<typeof account>

export const accountConflict = versionConflict('AccountConflict', account, {
  message: 'The account has changed.',
  current: { ...checking(), name: 'Household', version: 2 },
})
