import { and, eq, type SQL, sql } from 'drizzle-orm'
import { balanceOn } from '../balance-checks/balance-on.ts'
import { type CheckRow, checkColumns } from '../balance-checks/read.ts'
import { lastChange } from '../database/change-numbers.ts'
import { jsonRow } from '../database/json-row.ts'
import { hasLiveAccount, hasLiveAccounts } from '../database/live-accounts.ts'
import type { Owner, User, UserScope } from '../database/owner.ts'
import { accounts, balanceChecks, categories, transactions } from '../database/schema.ts'
import { type CalendarDate, dateIn } from '../domain/dates.ts'
import { canContinue } from '../feed/cursor-check.ts'
import { type FeedAccount, type FeedCategory, feedAccountColumns, feedCategoryColumns } from '../feed/rows.ts'
import type { FoundRule } from '../recurring/chain.ts'
import { selectRules } from '../recurring/read.ts'
import { bankDays, movesBookedDays } from '../transactions/booked-days.ts'
import { type Transaction, transactionColumns } from '../transactions/read.ts'
import type { Operation, Upload } from './contract.ts'

/** Rows of a noun by their ids, and by the client ids that lead to them. */
export class Rows<Row extends { id: number; clientId: string | null }> {
  readonly all: Row[]
  readonly byId: ReadonlyMap<number, Row>
  readonly byClientId: ReadonlyMap<string, Row>

  constructor(all: Row[]) {
    this.all = all
    this.byId = new Map(all.map((row) => [row.id, row]))
    this.byClientId = new Map(all.flatMap((row) => (row.clientId === null ? [] : [[row.clientId, row]])))
  }

  /** The row that an operation names. */
  named({ id, clientId }: Pick<Operation, 'id' | 'clientId'>): Row | undefined {
    return id === null ? this.byClientId.get(clientId ?? '') : this.byId.get(id)
  }
}

/** A transaction with the days on which the bank has it. */
export type FoundTransaction = Transaction & {
  /** False if one of its accounts has been deleted. */
  isLive: boolean
  bankDay: CalendarDate | null
  toBankDay: CalendarDate | null
}

/** What the operations of an upload are decided by. */
export type Found = {
  user: User
  today: CalendarDate
  /** The number of the user's last change. */
  seq: number
  /** False if the upload's cursor is no longer valid. */
  canContinue: boolean
  accounts: Rows<FeedAccount>
  categories: Rows<FeedCategory>
  rules: Rows<FoundRule>
  checks: Rows<CheckRow>
  /** Those that operations name, and occurrences that they may be. */
  transactions: Rows<FoundTransaction>
  /** Deleted rows by noun and client id, and the transaction that represents one since it was joined. */
  spent: ReadonlyMap<string, number | null>
  /** Balances in minor units, by account and day. */
  balances: ReadonlyMap<string, bigint>
}

/** Reads what the operations of an upload depend on, in one round trip. */
export async function read(owner: Owner, { operations, cursor }: Upload, epoch: number): Promise<Found> {
  const { db, now } = owner
  const isAbout = (noun: Operation['noun']) => operations.some((one) => one.noun === noun)
  const balances = balancesToRead(operations)
  const hasChecks = isAbout('balance_check') || balances.ofAccounts.length > 0
  const hasRules = isAbout('recurring') || operations.some(({ set }) => set.recurring_id != null)
  const hasTransactions = isAbout('transaction')
  const found = await owner.run({
    state: db.all<{ seq: number; canContinue: number }>(sql`
      select ${lastChange(owner.id)} as seq, ${cursor ? canContinue(owner, cursor, epoch) : sql`true`} as canContinue`),
    accounts: db
      .select({ row: jsonRow(feedAccountColumns) })
      .from(accounts)
      .where(eq(accounts.userId, owner.id)),
    categories: db
      .select({ row: jsonRow(feedCategoryColumns) })
      .from(categories)
      .where(eq(categories.userId, owner.id)),
    rules: hasRules ? [selectRules(owner, now)] : [],
    checks: hasChecks ? [selectChecks(owner)] : [],
    transactions: hasTransactions ? [selectTransactions(owner, operations)] : [],
    spent: db.all<Spent>(spentIds(owner.id, operations)),
    balances: hasChecks ? [db.all<Balance>(balancesOf(owner.id, balances))] : [],
  })
  const { user, state, spent } = found
  return {
    user,
    today: dateIn(user.timezone, now),
    seq: state[0]?.seq ?? 0,
    canContinue: Boolean(state[0]?.canContinue),
    accounts: new Rows(found.accounts.map(({ row }) => row)),
    categories: new Rows(found.categories.map(({ row }) => row)),
    rules: new Rows(found.rules.flat()),
    checks: new Rows(found.checks.flat().map(({ row }) => row)),
    transactions: new Rows(
      found.transactions.flat().map(({ row }) => ({ ...row, isLive: Boolean(row.isLive) })),
    ),
    spent: new Map(spent.map(({ noun, clientId, mergedInto }) => [`${noun} ${clientId}`, mergedInto])),
    balances: new Map(
      found.balances.flat().map(({ account, day, balance }) => [`${account} ${day}`, minorOf(balance)]),
    ),
  }
}

type Spent = { noun: string; clientId: string; mergedInto: number | null }
type Balance = { account: number; day: CalendarDate; balance: string }

/** All checks of accounts that have not been deleted: there are few, which are found by their accounts. */
function selectChecks({ db, id }: UserScope) {
  return db
    .select({ row: jsonRow(checkColumns) })
    .from(accounts)
    .crossJoin(balanceChecks)
    .where(and(eq(accounts.userId, id), eq(balanceChecks.accountId, accounts.id)))
}

/** The transactions that operations name, and those that new ones may be: by client id, by a join, or as an occurrence. */
function selectTransactions({ db, id }: UserScope, operations: Operation[]) {
  const own = operations.filter(({ noun }) => noun === 'transaction')
  const created = own.filter(({ kind }) => kind === 'create')
  const ids = listOf(own.flatMap((one) => one.id ?? []))
  const clientIds = listOf(own.flatMap((one) => (one.id === null ? [one.clientId] : [])))
  const divided = new Map(
    operations.map(({ id, clientId, set }) => [`#${set.successor_client_id}`, id ?? `#${clientId}`]),
  )
  const occurrences = created.flatMap(({ set: { recurring_id: rule, occurrence_date: date } }) =>
    // An occurrence of a successor may have been recorded by the rule that it continues.
    rule == null ? [] : [rule, divided.get(String(rule)) ?? []].flat().map((one) => [one, date]),
  )
  const queries = [
    sql`select value from ${ids}`,
    sql`select id from transactions where user_id = ${id} and client_id in (select value from ${clientIds})`,
    ...(created.length > 0 ? [mergedInto(id, clientIds)] : []),
    ...(occurrences.length > 0 ? [recordedAs(id, occurrences)] : []),
  ]
  const movesDays = own.some(({ kind, set }) => kind === 'update' && movesBookedDays(set))
  const { bookedOn, toBookedOn } = transactions
  const days = movesDays ? bankDays : { bankDay: sql`${bookedOn}`, toBankDay: sql`${toBookedOn}` }
  return db
    .select({
      row: jsonRow({ ...transactionColumns, ...(days as typeof bankDays), isLive: hasLiveAccounts }),
    })
    .from(transactions)
    .where(
      and(
        sql`${transactions.id} in (${sql.join(queries, sql` union all `)})`,
        // The plus makes SQLite search by id: the user has many rows.
        sql`+${transactions.userId} = ${id}`,
      ),
    )
}

/** A list for a query, as `value`. */
export const listOf = (values: unknown[]) => sql`json_each(${JSON.stringify(values)})`

/** The transactions that now represent those that were made with these client ids, and were joined with others. */
const mergedInto = (userId: SQL, clientIds: SQL) => sql`
  select gone.merged_into_id
    from spent_client_ids spent
   cross join imported_originals gone on gone.user_id = spent.user_id and gone.id = spent.row_id
   where spent.user_id = ${userId} and spent.noun = 'transaction'
     and spent.client_id in (select value from ${clientIds}) and gone.merged_into_id is not null`

/** The transactions that are these occurrences, of the rules that are named or of those that continue them. */
const recordedAs = (userId: SQL, occurrences: unknown[][]) => sql`
  select id from (
    with recursive chain(rule_id, date) as (
      select own.id, value ->> 1 from ${listOf(occurrences)} cross join recurring_rules own
       where own.user_id = ${userId} and own.id = ${idOf(userId, 'recurring_rules', sql`value ->> 0`)}
      union
      select successor_id, date from chain cross join recurring_rules rule on rule.id = rule_id
       where successor_id is not null)
    select transactions.id from chain cross join transactions on recurring_id = rule_id and occurrence_date = date)`

/** The id that a reference means: `#` and a client id mean the row with that client id. NULL if there is none. */
export function idOf(userId: SQL, table: NamedTable, sent: SQL): SQL {
  return sql`iif(typeof(${sent}) = 'text', (
    select named.id from ${sql.raw(table)} named
     where named.user_id = ${userId} and named.client_id = substr(${sent}, 2)), ${sent})`
}
export type NamedTable = 'accounts' | 'categories' | 'recurring_rules' | 'balance_checks'

/** The client ids of creations that belong to deleted rows. */
function spentIds(userId: SQL, operations: Operation[]): SQL {
  const created = operations.flatMap(({ kind, noun, clientId }) =>
    kind === 'create' ? [[noun, clientId]] : [],
  )
  const successors = operations.flatMap(({ set }) =>
    set.successor_client_id == null ? [] : [['recurring', set.successor_client_id]],
  )
  const sent = listOf([...created, ...successors])
  return sql`
    select spent.noun, spent.client_id as clientId, gone.merged_into_id as mergedInto
      from ${sent} cross join spent_client_ids spent
        on spent.user_id = ${userId} and spent.noun = value ->> 0 and spent.client_id = value ->> 1
      left join imported_originals gone
        on spent.noun = 'transaction' and gone.user_id = spent.user_id and gone.id = spent.row_id
    union all
    select 'balance_check', client_id, null from ${sent} cross join balance_checks
        on balance_checks.user_id = ${userId} and client_id = value ->> 1
     where value ->> 0 = 'balance_check' and not ${hasLiveAccount}`
}

type BalancesToRead = {
  /** By account, as an id or `#` and a client id. */
  ofAccounts: [account: unknown, day: unknown][]
  /** By balance check; the day is null where it stays. */
  ofChecks: [check: unknown, day: unknown][]
}

/** The balances on which operations depend: on the days of new and changed checks, and of periods to be reconciled. */
function balancesToRead(operations: Operation[]): BalancesToRead {
  const nameOf = ({ id, clientId }: Operation) => id ?? `#${clientId}`
  const ofAccounts = operations.flatMap((one): BalancesToRead['ofAccounts'] => {
    const { kind, noun, set } = one
    if (noun === 'account' && set.reconciled_through) return [[nameOf(one), set.reconciled_through]]
    return noun === 'balance_check' && kind === 'create' ? [[set.account_id, set.date]] : []
  })
  const changed = operations.filter(({ kind, noun }) => noun === 'balance_check' && kind === 'update')
  return { ofAccounts, ofChecks: changed.map((one) => [nameOf(one), one.set.date ?? null]) }
}

function balancesOf(userId: SQL, { ofAccounts, ofChecks }: BalancesToRead): SQL {
  return sql`
    select named.account, named.day, cast(${balanceOn(sql`named.account`, sql`named.day`)} as text) as balance
      from (select ${idOf(userId, 'accounts', sql`value ->> 0`)} as account, value ->> 1 as day from ${listOf(ofAccounts)}
            union
            select account_id, coalesce(value ->> 1, date) from ${listOf(ofChecks)} cross join balance_checks
              on balance_checks.id = ${idOf(userId, 'balance_checks', sql`value ->> 0`)}) named
     cross join accounts on accounts.id = named.account and accounts.user_id = ${userId}`
}

/** A balance that may be beyond the integers that the driver reads, or beyond SQLite's. */
const minorOf = (balance: string): bigint =>
  /^-?\d+$/.test(balance) ? BigInt(balance) : BigInt(Math.round(Number(balance)))
