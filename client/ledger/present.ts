import type {
  Account,
  BalanceCheck,
  Category,
  Forecast,
  Recurring,
  Summary,
  TransactionWithRelations,
  Upcoming,
  User,
} from '../api.ts'
import type { CheckedBalance, PendingEffect } from './checks.ts'
import type { Copy } from './copy.ts'
import { totalOf } from './money.ts'
import type { balancesReportOf, monthlyReportOf } from './reports.ts'
import type { Key } from './rows.ts'
import type { Shown } from './shown-row.ts'

/** A row on the device. Fields that the service assigns are null until it has stored the row. */
type OnDevice<Row> = Omit<Row, 'id' | 'created_at' | 'updated_at'> & {
  id: number | null
  /** The device's name for the row, usable in place of an id. Only a deleted row that is brought back gets a new one. */
  key: Key
} & ('created_at' extends keyof Row ? { created_at: string | null; updated_at: string | null } : unknown)
type Waits = { waits: Shown['transaction']['waits'] }

export type LedgerProfile = User & Waits
export type LedgerAccount = OnDevice<Account> & Waits
/** A recurring transaction; `open_from` is today for one that the service does not have yet. */
export type LedgerRecurring = OnDevice<Omit<Recurring, 'account_id' | 'client_id' | 'successor_id'>> &
  Waits & {
    account_id: number | null
    successor_id: number | null
    /** The recurring transaction that continues this one. */
    successor_key: Key | null
    account: Relation<TransactionWithRelations['account']>
    to_account: Relation<TransactionWithRelations['to_account']> | null
    category: Relation<TransactionWithRelations['category']> | null
  }
/** An occurrence; `transaction_key` is what it is recorded as, `possible_key` a transaction that may be it. */
export type LedgerOccurrence = Omit<Upcoming['occurrences'][number], 'recurring_id'> & {
  recurring_id: number | null
  recurring_key: Key
  possible_key: Key | null
  transaction_key: Key | null
}
export type LedgerUpcoming = { occurrences: LedgerOccurrence[] }
type OnAccount = { account_id: number | null; account_key: Key; balance: number }
export type LedgerForecast = Omit<Forecast, 'points' | 'lowest' | 'due'> & {
  points: { date: string; total: number; accounts: OnAccount[] }[]
  lowest: (OnAccount & { date: string })[]
  due: LedgerOccurrence[]
}
export type LedgerCategory = OnDevice<Category> & Waits
type Relation<Row> = OnDevice<NonNullable<Row>>
/** The ids of rows that the service does not have yet are null: keys are in `account`, `to_account` and `category`. */
export type LedgerTransaction = OnDevice<
  Omit<TransactionWithRelations, 'account_id' | 'account' | 'to_account' | 'category'>
> &
  Waits & {
    account_id: number | null
    account: Relation<TransactionWithRelations['account']>
    to_account: Relation<TransactionWithRelations['to_account']> | null
    category: Relation<TransactionWithRelations['category']> | null
    /** The recurring transaction that it is an occurrence of. */
    recurring_key: Key | null
  }
export type LedgerSummary = Omit<Summary, 'accounts' | 'category_breakdown'> & {
  accounts: OnDevice<Summary['accounts'][number]>[]
  category_breakdown: (Summary['category_breakdown'][number] & { category_key: Key | null })[]
}
/** A balance check on the device. When it broke, and changes made elsewhere, only the API knows. */
export type LedgerCheck = OnDevice<Omit<BalanceCheck, 'account_id' | 'broken_at' | 'client_id'>> &
  Waits & { account: Relation<TransactionWithRelations['account']> }
/** A check with the changes of this device that move its balance and have not been sent. */
export type LedgerExplainedCheck = LedgerCheck & { pending: PendingEffect[] }
export type LedgerMonthlyReport = ReturnType<typeof monthlyReportOf>
export type LedgerBalancesReport = ReturnType<typeof balancesReportOf>
export type LedgerPage = {
  data: LedgerTransaction[]
  current_page: number
  last_page: number
  per_page: number
  total: number
  from: number | null
  to: number | null
  searched_back_to?: string | null
}

/** Presents rows as the service does, with their keys. */
export function presenterOf({ view }: Copy) {
  /** The rows that a transaction names. */
  function relations(row: Pick<Shown['transaction'], 'account_id' | 'to_account_id' | 'category_id'>) {
    const account = view().get('account', row.account_id) as Shown['account']
    const to = row.to_account_id === null ? undefined : view().get('account', row.to_account_id)
    const category = row.category_id === null ? undefined : view().get('category', row.category_id)
    return {
      account_id: account.id,
      to_account_id: to?.id ?? null,
      category_id: category?.id ?? null,
      account: inBrief(account),
      to_account: to ? inBrief(to) : null,
      category: category ? inBrief(category) : null,
    }
  }

  return {
    relations,

    profile({ rank, key, ...profile }: Shown['profile']): LedgerProfile {
      return profile
    },

    account({ rank, client_id, ...row }: Shown['account']): LedgerAccount {
      return { ...row, balance: totalOf(view().balanceOf(row.key)) }
    },

    category({ rank, client_id, ...row }: Shown['category']): LedgerCategory {
      return row
    },

    check({ rank, client_id, account_id, ...row }: CheckedBalance): LedgerCheck {
      return { ...row, account: inBrief(view().get('account', account_id) as Shown['account']) }
    },

    transaction({ rank, client_id, ...row }: Shown['transaction']): LedgerTransaction {
      const rule = row.recurring_id === null ? undefined : view().get('recurring', row.recurring_id)
      return {
        ...row,
        ...relations(row),
        recurring_id: rule?.id ?? null,
        recurring_key: rule?.key ?? null,
        occurrence_date: rule ? row.occurrence_date : null,
      }
    },
  }
}

function inBrief<Type>({ id, key, name, type }: { id: number | null; key: Key; name: string; type: Type }) {
  return { id, key, name, type }
}
