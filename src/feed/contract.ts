import * as z from 'zod/mini'
import { account } from '../accounts/response-contract.ts'
import { storedCheck } from '../balance-checks/response-contract.ts'
import { category } from '../categories/response-contract.ts'
import { doc, field } from '../domain/doc.ts'
import { invalidText } from '../domain/field-errors.ts'
import { converted, oneOf, pageSize, text } from '../domain/fields.ts'
import * as shown from '../domain/shown.ts'
import type { changedNouns } from '../domain/types.ts'
import { storedRecurring } from '../recurring/response-contract.ts'
import { transaction } from '../transactions/response-contract.ts'
import { mary, user } from '../users/contract.ts'
import { readCursor } from './cursor.ts'

// Other limits: failures/limits.ts.

/** Changes per page, unless the client asks for another number. */
export const defaultFeedSize = 500
const maxFeedSize = 1_000
/** Changes per page of a POST. A full one has some 2 MB of JSON, 250 KB compressed. */
export const maxUploadFeedSize = 5_000

/** The `cursor` of an earlier response. */
export const feedCursor = field(
  converted(text(), (input, refuse) => readCursor(input) ?? refuse(invalidText)),
  doc({ type: 'string', description: 'The `cursor` of the last page. Without one, everything is sent.' }),
)

export const feedQuery = z.partial(
  z.object({
    cursor: feedCursor,
    limit: field(pageSize(maxFeedSize), doc({ default: defaultFeedSize, description: 'Changes per page.' })),
    start: field(
      oneOf(['now']),
      doc({
        type: 'string',
        examples: ['now'],
        description:
          '`now` returns a cursor for what changes from now on, and no rows. Not together with a `cursor`.',
      }),
    ),
  }),
)
export type FeedQuery = z.output<typeof feedQuery>

const clientId = () => field(z.nullable(z.string()), doc('The id that the client gave it on creation.'))

const changedAccount = shown.object(
  'ChangedAccount',
  'An account in the change feed, which lists balances separately.',
  { ...z.omit(account, { balance: true }).shape, client_id: clientId() },
)

const changedCategory = shown.object('ChangedCategory', 'A category in the change feed.', {
  ...category.shape,
  client_id: clientId(),
})

const changedTransaction = shown.object('ChangedTransaction', 'A transaction in the change feed.', {
  ...transaction.shape,
  client_id: clientId(),
})

const changedCheck = shown.object(
  'ChangedBalanceCheck',
  'A balance check in the change feed. Its difference changes without it, and follows from the transactions.',
  storedCheck.shape,
)

const changedRecurring = shown.object(
  'ChangedRecurring',
  'A recurring transaction in the change feed. Its next occurrence follows from it and the transactions.',
  storedRecurring.shape,
)

/** The schema of a change's `data`, by its noun. */
type Changed = {
  profile: typeof user
  account: typeof changedAccount
  category: typeof changedCategory
  recurring: typeof changedRecurring
  transaction: typeof changedTransaction
  balance_check: typeof changedCheck
}
type Noun = (typeof changedNouns)[number]

/** A change of the feed. The document cannot say that the type of `data` depends on `noun`. */
export type ShownChange = {
  [N in Noun]: { noun: N; id: number; data: z.output<Changed[N]> | null }
}[Noun]

/** A row of any noun. */
export const changedRow = () =>
  z.union([user, changedAccount, changedCategory, changedRecurring, changedTransaction, changedCheck])
export const kindsOfRow =
  'A `User`, `ChangedAccount`, `ChangedCategory`, `ChangedRecurring`, `ChangedTransaction` or `ChangedBalanceCheck`.'

const change = shown.object('Change', 'A row as it is now, or the id of one that no longer exists.', {
  noun: field(
    z.string(),
    doc('`profile`, `account`, `category`, `recurring`, `transaction` or `balance_check`; ignore any other.'),
  ),
  id: shown.id(),
  data: field(
    z.nullable(changedRow()),
    doc({
      type: ['object', 'null'],
      description: `${kindsOfRow} Null if the row is deleted. When an account is deleted, so are its balance checks, and all its transactions and recurring ones, on either side of a transfer; when a recurring transaction is, what named it becomes null; when a category is, \`category_id\` becomes null wherever it named that category.`,
    }),
  ),
})

const accountBalance = shown.object('AccountBalance', 'The balance of an account.', {
  account_id: shown.id(),
  balance: shown.total(),
})

export const feed = shown.object(
  'Feed',
  'A page of a snapshot, or of changes in the order in which they were made, each row once, as it is now.',
  {
    changes: z.array(change),
    cursor: field(z.string(), doc('Where the next request continues. Store it together with the changes.')),
    has_more: field(
      z.boolean(),
      doc('True if there are more changes. Show the changes only once it is false.'),
    ),
    snapshot: field(
      z.boolean(),
      doc('True on the pages of a snapshot, which a request without a cursor begins.'),
    ),
    total_transactions: field(
      z.optional(shown.count()),
      doc('Only in a snapshot: how many transactions there are, to show how far the copy is.'),
    ),
    balances: field(
      z.optional(z.array(accountBalance)),
      doc('Only where `has_more` is false: the balances of all accounts, to check the copy against.'),
    ),
    total_balance: field(z.optional(shown.total()), doc('Their sum.')),
  },
  {
    changes: [
      { noun: 'profile', id: 1, data: mary() },
      { noun: 'transaction', id: 76, data: null },
    ],
    cursor: 'WzEsMSwxMDRd',
    has_more: false,
    snapshot: false,
    balances: [{ account_id: 1, balance: 1237.5 }],
    total_balance: 1237.5,
  },
)
export type ShownFeed = Omit<z.output<typeof feed>, 'changes'> & { changes: ShownChange[] }
