import * as z from 'zod'
import { maxPageSize } from '../../../contract/transactions.ts'
import { accountTypes, categoryTypes, transactionTypes } from '../../../domain/types.ts'
import { amount, at, calendarDate, id, named, timestamp, total } from './kinds.ts'

/** Accounts, categories, transactions and the dashboard. */

export const category = named(
  'Category',
  z.object({ id, user_id: id, name: z.string(), type: z.enum(categoryTypes) }),
  'What money is spent on or comes from.',
  { id: 1, user_id: 1, name: 'Groceries', type: 'expense' },
)

const transactionFields = {
  id,
  user_id: id,
  account_id: id,
  to_account_id: id.nullable().describe('Destination of a transfer.'),
  category_id: id.nullable(),
  type: z.enum(transactionTypes),
  amount,
  description: z.string().nullable(),
  reference: z.string().nullable(),
  transaction_date: calendarDate,
  is_synced: z.boolean().describe('True for what came in an offline batch.'),
  created_at: timestamp,
  updated_at: timestamp,
}
const coffee = {
  id: 1,
  user_id: 1,
  account_id: 1,
  to_account_id: null,
  category_id: 1,
  type: 'expense' as const,
  amount: '12.50',
  description: 'Coffee beans',
  reference: null,
  transaction_date: '2026-11-20',
  is_synced: false,
  created_at: at,
  updated_at: at,
}

export const transaction = named('Transaction', z.object(transactionFields), 'A movement of money.', coffee)

const accountInBrief = named(
  'AccountInBrief',
  z.object({ id, name: z.string(), type: z.enum(accountTypes) }),
  'The account of a transaction.',
)
const categoryInBrief = named(
  'CategoryInBrief',
  z.object({ id, name: z.string(), type: z.enum(categoryTypes) }),
  'The category of a transaction.',
)
const coffeeWithRelations = {
  ...coffee,
  account: { id: 1, name: 'Checking', type: 'bank' as const },
  to_account: null,
  category: { id: 1, name: 'Groceries', type: 'expense' as const },
}

export const transactionWithRelations = named(
  'TransactionWithRelations',
  z.object({
    ...transactionFields,
    account: accountInBrief,
    to_account: accountInBrief.nullable(),
    category: categoryInBrief.nullable(),
  }),
  'A movement of money with what it refers to.',
  coffeeWithRelations,
)

const link = z.string()
const example = 'https://api.purse.example/api/transactions'

export const transactionPage = named(
  'TransactionPage',
  z.object({
    current_page: z.int().min(1),
    data: z.array(transactionWithRelations),
    first_page_url: link,
    from: z.int().min(1).nullable().describe('Position of the first row, from 1; null on an empty page.'),
    last_page: z.int().min(1),
    last_page_url: link,
    next_page_url: link.nullable(),
    path: link,
    per_page: z.int().min(1).max(maxPageSize),
    prev_page_url: link.nullable(),
    to: z.int().min(1).nullable().describe('Position of the last row; null on an empty page.'),
    total: z.int().min(0),
  }),
  'Transactions, newest first.',
  {
    current_page: 1,
    data: [coffeeWithRelations],
    first_page_url: `${example}?page=1`,
    from: 1,
    last_page: 1,
    last_page_url: `${example}?page=1`,
    next_page_url: null,
    path: example,
    per_page: 50,
    prev_page_url: null,
    to: 1,
    total: 1,
  },
)

const accountInSummary = named(
  'AccountInSummary',
  z.object({
    id,
    name: z.string(),
    type: z.enum(accountTypes),
    starting_balance: amount,
    balance: total,
  }),
  'An account with its balance.',
)

const monthlySummary = named(
  'MonthlySummary',
  z.object({ income: total, expense: total, net: total }),
  'What came in and went out, and the difference.',
)

const categoryTotal = named(
  'CategoryTotal',
  z.object({ category_id: id.nullable(), category_name: z.string(), total }),
  'What was spent in a category; `Uncategorized`, with the id null, is what has none.',
)

export const summary = named(
  'Summary',
  z.object({
    total_balance: total,
    accounts: z.array(accountInSummary),
    monthly_summary: monthlySummary,
    category_breakdown: z.array(categoryTotal).describe('Expenses by category, the largest first.'),
  }),
  'The dashboard of a month or a range.',
  {
    total_balance: 1237.5,
    accounts: [{ id: 1, name: 'Checking', type: 'bank', starting_balance: '1250.00', balance: 1237.5 }],
    monthly_summary: { income: 0, expense: 12.5, net: -12.5 },
    category_breakdown: [{ category_id: 1, category_name: 'Groceries', total: 12.5 }],
  },
)
