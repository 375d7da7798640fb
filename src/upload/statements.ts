import { type SQL, sql } from 'drizzle-orm'
import { newAccount } from '../accounts/contract.ts'
import { newBalanceCheck } from '../balance-checks/contract.ts'
import { changedBase, newBase } from '../balance-checks/new-check.ts'
import { newCategory } from '../categories/contract.ts'
import { nextChange } from '../database/change-numbers.ts'
import { builder } from '../database/run.ts'
import { newRecurring } from '../recurring/contract.ts'
import { storedFieldNames } from '../transactions/bulk-insert.ts'
import { dueReminderSoon } from '../users/reminders.ts'
import type { Operation } from './contract.ts'
import type { RuleFields, Write } from './decide/state.ts'
import { idOf, type NamedTable } from './read.ts'

/** What the statements of an upload depend on; `firstId` is the id of the first transaction that it creates. */
export type Context = { userId: SQL; now: Date; firstId: SQL }

type Columns = Record<string, SQL>
type Table = {
  name: string
  /** The columns that are written on creation, from fields of the same names. */
  fields: string[]
  /** The fields that name other rows. */
  references?: Record<string, NamedTable>
  /** Further columns of a new row, from `item` and its position `nth`. */
  onCreate?: (context: Context) => Columns
  /** Further columns of a changed row, if these fields change. */
  onUpdate?: (context: Context, fields: string[]) => Columns | undefined
}

const rowReferences = {
  account_id: 'accounts',
  to_account_id: 'accounts',
  category_id: 'categories',
} as const

const tables: Record<Operation['noun'], Table> = {
  profile: {
    name: 'users',
    fields: [],
    // The reminder jobs then work out when the next reminders are due.
    onUpdate: ({ now }, fields) =>
      fields.some((field) => field === 'timezone' || field === 'reminder_time')
        ? { reminder_look_at: sql`${now}`, due_reminder_look_at: dueReminderSoon(now) }
        : undefined,
  },
  account: { name: 'accounts', fields: Object.keys(newAccount.shape), onUpdate: raisedVersion },
  category: {
    name: 'categories',
    fields: [...Object.keys(newCategory.shape), 'name_key'],
    onUpdate: raisedVersion,
  },
  recurring: {
    name: 'recurring_rules',
    fields: [...Object.keys(newRecurring.shape), 'exceptions'],
    references: rowReferences,
    onCreate: ({ userId, now }) => ({
      opened_at: sql`${now}`,
      opened_in: sql`(select timezone from users where users.id = ${userId})`,
      due_at: sql`iif(auto_record and not paused, 0, null)`,
    }),
  },
  transaction: {
    name: 'transactions',
    fields: [...Object.keys(rowReferences), ...storedFieldNames.filter((field) => field !== 'client_id')],
    references: { ...rowReferences, recurring_id: 'recurring_rules' },
    onCreate: ({ userId, firstId }) => ({
      id: sql`${firstId} + nth`,
      is_synced: sql`1`,
      seq: sql`${nextChange(userId)} + nth`,
    }),
    onUpdate: (context) => ({ ...raisedVersion(), seq: sql`${nextChange(context.userId)} + nth` }),
  },
  balance_check: {
    name: 'balance_checks',
    fields: Object.keys(newBalanceCheck.shape),
    references: { account_id: 'accounts' },
    onCreate: ({ userId }) => {
      const account = idOf(userId, 'accounts', sql`item.account_id`)
      const { base, afterEntry } = newBase(account, sql`item.date`, sql`item.balance`)
      return { source: sql`'manual'`, base, after_entry: afterEntry }
    },
    onUpdate: () => {
      const next = changedBase(sql`balance_checks.account_id`, sql`item.date`, sql`item.balance`)
      return {
        ...raisedVersion(),
        ...{ base: next.base, after_entry: next.afterEntry },
        ...{ source: next.source, import_id: next.importId },
      }
    },
  },
}

function raisedVersion(): Columns {
  return { version: sql`version + 1` }
}

/** Inserts rows, and returns their ids with their client ids; no statement if there are none. */
export function insertRows(context: Context, noun: Operation['noun'], writes: Write[]) {
  if (writes.length === 0) return []
  const { userId, now } = context
  const { name, fields, references = {}, onCreate } = tables[noun]
  const own = onCreate?.(context) ?? {}
  const rows = writes.map(({ clientId, columns }) => [
    clientId,
    ...fields.map((field) => columns[field] ?? null),
  ])
  const values = fields.map((field) => columnValue(userId, field, references))
  const columns = ['user_id', 'client_id', ...fields, ...Object.keys(own), 'created_at', 'updated_at']
  return [
    builder.all<{ id: number; clientId: string }>(sql`
      insert into ${sql.raw(`${name} (${columns.join(', ')})`)}
      with ${items(['client_id', ...fields], rows)}
      select ${sql.join([userId, sql`client_id`, ...values, ...Object.values(own), sql`${now}`, sql`${now}`], sql`, `)}
        from item order by nth
      returning id, client_id as clientId`),
  ]
}

/**
 * Updates rows: a statement for each set of columns, since setting one writes its index entries and runs its triggers, even
 * if its value stays the same.
 */
export function updateRows(context: Context, noun: Operation['noun'], writes: Write[]) {
  const { name, references = {}, onUpdate } = tables[noun]
  const owner = noun === 'profile' ? 'id' : 'user_id'
  const bySet = Map.groupBy(writes, ({ columns }) => Object.keys(columns).sort().join())
  return [...bySet.values()].map((group) => {
    const fields = Object.keys(group[0]?.columns ?? {})
    const rows = group.map(({ id, columns }) => [id, ...fields.map((field) => columns[field] ?? null)])
    const set = {
      ...Object.fromEntries(fields.map((field) => [field, columnValue(context.userId, field, references)])),
      ...onUpdate?.(context, fields),
      updated_at: sql`${context.now}`,
    }
    const assigned = Object.entries(set).map(([column, value]) => sql`${sql.raw(column)} = ${value}`)
    return builder.run(sql`
      with ${items(['row_id', ...fields], rows)}
      update ${sql.raw(name)} set ${sql.join(assigned, sql`, `)} from item
       where ${sql.raw(`${name}.id = item.row_id and +${name}.${owner}`)} = ${context.userId}`)
  })
}

/** `item` has the values of each row and its position. Materialized: otherwise each use would parse the JSON again. */
function items(columns: string[], rows: unknown[][]): SQL {
  const values = columns.map((column, at) => `value ->> ${at} as ${column}`)
  return sql`item as materialized (
    select key as nth, ${sql.raw(values.join(', '))} from json_each(${JSON.stringify(rows)}))`
}

function columnValue(userId: SQL, field: string, references: Record<string, NamedTable>): SQL {
  const value = sql.raw(`item.${field}`)
  return references[field] ? idOf(userId, references[field], value) : value
}

/** What an update sets of a rule, with expressions for the ids of rows that it names by client ids. */
export function withIds(userId: SQL, set: RuleFields) {
  return Object.fromEntries(
    Object.entries(set).map(([field, value]) => [
      field,
      field in rowReferences && typeof value === 'string'
        ? idOf(userId, rowReferences[field as keyof typeof rowReferences], sql`${value}`)
        : value,
    ]),
  ) as RuleFields
}
