import * as z from 'zod/mini'
import { doc, field } from '../domain/doc.ts'
import * as shown from '../domain/shown.ts'
import { balanceChangeKinds, candidateKinds, transactionTypes, writerKinds } from '../domain/types.ts'
import { exampleCheck, shownFields } from './response-contract.ts'

const loggedRow = shown.object(
  'LoggedRow',
  'What moved money, of a transaction or of the starting balance of an account.',
  {
    type: z.optional(z.enum(transactionTypes)),
    amount: z.optional(shown.amount()),
    transaction_date: z.optional(shown.calendarDate()),
    account_id: z.optional(shown.id()),
    to_account_id: z.optional(z.nullable(shown.id())),
    starting_balance: z.optional(shown.amount()),
  },
)

const writer = shown.object('Writer', 'Who made a change.', {
  kind: field(z.enum(writerKinds), doc('A signed-in app, a named token, or a job of the service.')),
  name: field(
    z.nullable(z.string()),
    doc('The browser and system of a session, if known, or the name of a token.'),
  ),
  token_id: field(z.nullable(shown.id()), doc('As in `GET /api/tokens`; it may have been revoked since.')),
})

const brokenBy = shown.object('BalanceChange', 'A change that moved the balance on the day of a check.', {
  at: shown.timestamp(),
  op: field(
    z.enum(balanceChangeKinds),
    doc(
      '`starting_balance`: that of the account changed; `account_deleted`: transfers disappeared with another account; `many`: changes that are not listed one by one.',
    ),
  ),
  count: field(shown.count(), doc('How many transactions it is about.')),
  transaction_id: field(z.nullable(shown.id()), doc('Null unless it is about one transaction.')),
  effect: field(shown.total(), doc('By how much it raised the balance.')),
  before: field(z.nullable(loggedRow), doc('Null if it was created, or if there are several.')),
  after: field(z.nullable(loggedRow), doc('Null if it was deleted, or if there are several.')),
  by: field(z.nullable(writer), doc('Null for `many`.')),
  cause: field(
    z.nullable(z.string()),
    doc('`import`, `match` (joined or separated), or `undo` of an import; null for any other change.'),
  ),
  import_id: field(z.nullable(shown.id()), doc('The import that caused it.')),
})

const lastOk = shown.object('LastOkCheck', 'The last earlier check of the account that is `ok`.', {
  id: shown.id(),
  date: shown.calendarDate(),
})

const span = shown.object('UncheckedSpan', 'The days in which a difference arose.', {
  from: field(z.nullable(shown.calendarDate()), doc('Null if no earlier check is `ok`.')),
  to: shown.calendarDate(),
})

const candidate = shown.object('Candidate', 'Something that alone explains the difference.', {
  kind: field(
    z.enum(candidateKinds),
    doc(
      '`missing_or_extra`: without the transaction there would be no difference; `reversed`: with its direction reversed; `duplicate`: two transactions may be the same; `starting_balance`: all checks of the account have this difference.',
    ),
  ),
  transaction_ids: z.array(shown.id()),
  starting_balance: field(
    z.nullable(shown.amount()),
    doc('The starting balance with which there would be no difference.'),
  ),
})

/** A check with what broke it, as GET /api/balance-checks/{id} returns it. */
export const explainedCheck = shown.object(
  'ExplainedBalanceCheck',
  'A balance check with what broke it.',
  {
    ...shownFields(),
    broken_by: field(
      z.array(brokenBy),
      doc(
        'Of a check that was `ok`: the changes since then, oldest first, which add up to the difference, with `unexplained`. Of one that never was: the changes since it was made. The newest 1,000 changes of an account are known.',
      ),
    ),
    unexplained: field(
      shown.total(),
      doc(
        'The part of the difference that came from changes that are not known any more; `broken_at` is null then.',
      ),
    ),
    last_ok: field(z.nullable(lastOk), doc('Of a broken check, if there is one.')),
    span: field(z.nullable(span), doc('Of a check that never was `ok`.')),
    candidates: field(z.array(candidate), doc('Of a check that never was `ok`.')),
  },
  {
    ...exampleCheck(),
    broken_by: [
      {
        at: '2026-11-20T18:04:11.000Z',
        op: 'deleted',
        count: 1,
        transaction_id: 771,
        effect: -12.5,
        before: {
          type: 'income',
          amount: '12.50',
          transaction_date: '2026-10-12',
          account_id: 1,
          to_account_id: null,
        },
        after: null,
        by: { kind: 'session', name: 'Firefox on Android', token_id: 8 },
        cause: null,
        import_id: null,
      },
    ],
    unexplained: 0,
    last_ok: { id: 9, date: '2026-09-30' },
    span: null,
    candidates: [],
  },
)
export type ShownExplainedCheck = z.output<typeof explainedCheck>
