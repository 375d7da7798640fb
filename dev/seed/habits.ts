import type { CategoryType } from '../../src/domain/category-name-key.ts'

/** A fixed amount, or the range that it is drawn from, in whole units of the currency. */
export type Amount = number | readonly [number, number]

/** One kind of row. Accounts and categories are named; without a category a row stays uncategorised. */
export type Habit = {
  type: 'income' | 'expense' | 'transfer'
  account: string
  to?: string
  category?: string
  amount: Amount
  /** The description, or several of which one is drawn. */
  texts: readonly string[]
}

const [joint, savings, phone, cash] = ['Joint account', 'Savings', 'Phone wallet', 'Cash'] as const

export const accounts = [
  { name: joint, type: 'bank', starting_balance: '3850.00', notes: 'Both salaries, rent, most of the rest' },
  { name: savings, type: 'bank', starting_balance: '9400.00', notes: 'Three months of rent, and summer' },
  { name: phone, type: 'mobile', starting_balance: '95.00', notes: null },
  { name: cash, type: 'cash', starting_balance: '240.00', notes: 'The tin in the kitchen' },
] as const

/** Besides the default categories. */
export const ownCategories: readonly { name: string; type: CategoryType }[] = [
  { name: 'Cat', type: 'expense' },
  { name: 'Subscriptions', type: 'expense' },
]

/** What happens on one day of each month. */
export const monthly: readonly (Habit & { day: number })[] = [
  { day: 1, ...spend('Housing', 1380, 'Rent') },
  { day: 1, ...earn('Salary', 1685.4, 'Salary Tom, city library') },
  { day: 2, ...move(joint, savings, 600, 'Standing order') },
  { day: 3, ...spend('Internet & Phone', 34.9, 'Fibre') },
  { day: 4, ...move(joint, phone, 50, 'Top-up') },
  { day: 5, ...spend('Internet & Phone', 23.98, 'Two phone contracts') },
  { day: 5, ...spend('Transport', 116, 'Monthly passes, Maya and Tom') },
  { day: 6, ...spend('Education', 345, 'Nursery, Ida') },
  { day: 8, ...spend('Subscriptions', 17.99, 'Films') },
  { day: 11, ...spend('Subscriptions', 10.99, 'Music') },
  { day: 12, ...spend('Insurance', 41.2, 'Household and liability insurance') },
  { day: 15, ...spend('Utilities', [58, 74], 'Electricity') },
  { day: 15, ...move(joint, cash, 150, 'Cash machine') },
  { day: 16, ...spend('Entertainment', 39, 'Climbing hall, Tom') },
  { day: 20, ...spend('Gifts & Donations', 25, 'Food bank') },
  { day: 25, ...earn('Salary', 2718.36, 'Salary Maya, Lindqvist & Partners') },
  { day: 27, ...spend('Cat', [28, 44], 'Cat food and litter') },
]

const repeated = [
  'Rent',
  'Salary Tom, city library',
  'Salary Maya, Lindqvist & Partners',
  'Standing order',
  'Films',
  'Music',
]

/** The habits that are recurring transactions as well, and one that begins now, on the last day of each month. */
export const recurring: readonly (Habit & { rrule: string })[] = [
  ...monthly
    .filter(({ texts }) => texts.some((text) => repeated.includes(text)))
    .map(({ day, ...habit }) => ({ ...habit, rrule: `FREQ=MONTHLY;BYMONTHDAY=${day}` })),
  { ...spend('Housing', 85, 'Rent, garage'), rrule: 'FREQ=MONTHLY;BYMONTHDAY=31' },
]

/** What happens on one or more days of the year (`MM-DD`). */
export const yearly: readonly (Habit & { days: readonly string[] })[] = [
  { days: ['03-31', '06-30', '09-30', '12-31'], ...earn('Investments', [44, 52], 'Interest', savings) },
  { days: ['11-18', '12-18', '01-18', '02-18', '03-18'], ...spend('Utilities', [105, 168], 'Heating') },
  { days: ['01-14'], ...spend('Insurance', 212.5, 'Travel insurance, a year') },
  { days: ['01-23', '09-11'], ...spend('Cat', [62, 118], 'Vet') },
  { days: ['02-09', '09-08'], ...spend('Education', 189, 'Evening classes, Maya') },
  { days: ['03-07', '05-21', '10-16'], ...earn('Freelance', [340, 620], 'Translation, Maya') },
  { days: ['04-12', '08-29'], ...spend('Gifts & Donations', [45, 90], 'Birthday present') },
  { days: ['05-28'], ...earn('Other Income', 386.12, 'Tax refund') },
  { days: ['06-03'], ...spend('Travel', 412.6, 'Trains to the coast') },
  { days: ['07-08'], ...move(savings, joint, 1500, 'For the summer') },
  { days: ['07-10'], ...spend('Travel', 1096, 'Holiday flat, two weeks') },
  {
    days: ['07-13', '07-17', '07-21'],
    ...spend('Eating Out', [32, 68], 'Dinner by the sea', 'Fish restaurant'),
  },
  { days: ['07-16'], ...spend('Travel', 74, 'Boat trip') },
  { days: ['10-02'], ...spend('Clothing', 149, 'Winter coat, Tom') },
  // A refund is income in an expense category.
  { days: ['10-09'], ...earn('Clothing', 149, 'Refund: coat, wrong size') },
  { days: ['10-10'], ...spend('Clothing', 159, 'Winter coat, Tom') },
  { days: ['12-12', '12-19'], ...spend('Gifts & Donations', [55, 120], 'Christmas presents') },
  { days: ['12-22'], ...spend('Groceries', [95, 140], 'Christmas dinner') },
  { days: ['12-25'], ...earn('Gifts Received', 150, 'From Grandma') },
]

const workdays = [1, 2, 3, 4, 5]

/** What may happen on some weekdays (0 is Sunday), with a probability. */
export const weekly: readonly (Habit & { weekdays: readonly number[]; chance: number })[] = [
  { weekdays: [6], chance: 0.95, ...spend('Groceries', [52, 98], 'Supermarket, the big shop') },
  { weekdays: [2, 4], chance: 0.85, ...spend('Groceries', [11, 34], 'Supermarket', 'Corner shop') },
  { weekdays: [6], chance: 0.8, ...spend('Groceries', [14, 29], 'Market'), account: cash },
  { weekdays: [0, 3], chance: 0.7, ...spend('Groceries', [3.5, 9], 'Bakery'), account: cash },
  { weekdays: [2], chance: 0.15, ...spend('Health', [22, 38], 'Hairdresser'), account: cash },
  { weekdays: workdays, chance: 0.4, ...spend('Eating Out', [2.8, 5.2], 'Coffee'), account: phone },
  {
    weekdays: [0, 5],
    chance: 0.3,
    ...spend('Transport', [2.4, 7.5], 'Bike hire', 'Night bus'),
    account: phone,
  },
  { weekdays: workdays, chance: 0.22, ...spend('Eating Out', [9.5, 16], 'Lunch, Maya', 'Lunch, Tom') },
  { weekdays: [5, 6], chance: 0.32, ...spend('Eating Out', [34, 72], 'Pizzeria', 'Thai place', 'Bistro') },
  { weekdays: [5, 6], chance: 0.2, ...spend('Entertainment', [12, 38], 'Cinema', 'Museum', 'Bookshop') },
  { weekdays: [1, 4], chance: 0.16, ...spend('Health', [6, 31], 'Pharmacy', 'Dentist, own share') },
  {
    weekdays: [3, 6],
    chance: 0.13,
    ...spend('Clothing', [18, 85], 'Shoes', 'Second-hand shop', 'Boots, Ida'),
  },
  { weekdays: [1, 3, 5], chance: 0.13, ...spend('Other Expense', [7, 46], 'Hardware shop', 'Dry cleaner') },
  // Expenses without a category.
  { weekdays: [0, 2, 6], chance: 0.12, ...spend(undefined, [5, 48], 'CARD PAYMENT 4471', 'PP*7732 ONLINE') },
]

function spend(category: string | undefined, amount: Amount, ...texts: string[]): Habit {
  return { type: 'expense', account: joint, ...(category && { category }), amount, texts }
}

function earn(category: string, amount: Amount, text: string, account: string = joint): Habit {
  return { type: 'income', account, category, amount, texts: [text] }
}

function move(account: string, to: string, amount: Amount, text: string): Habit {
  return { type: 'transfer', account, to, amount, texts: [text] }
}
