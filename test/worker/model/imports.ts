import { sql } from 'drizzle-orm'
import * as fc from 'fast-check'
import { dayMs } from '../../../src/shared/dates.ts'
import { openWorldDatabase } from '../laws/every-route.ts'
import type { World } from '../world.ts'
import {
  anyOf,
  type Caller,
  claimed,
  type Draw,
  idempotencyKey,
  keyHeader,
  type Made,
  type Outcome,
  operation,
  type Planned,
  seldom,
  type Verdict,
  withinBounds,
} from './calls.ts'
import { categoryNames, nameKey } from './categories.ts'
import { csv, type File, type FileRow, ofx, uploadOf } from './files.ts'
import { canComeBack, separated } from './matches.ts'
import { problemsOfImport } from './pairs.ts'
import { isValid, land } from './rules.ts'
import { decimal } from './shown.ts'
import {
  type Account,
  type Category,
  type Import,
  type Item,
  type Joined,
  maxTotal,
  type Row,
  type State,
  type User,
} from './state.ts'
import { verified } from './sync.ts'
import { asSent, day, enriched, item, itemOf } from './transactions.ts'

/** What was looked up about an import, since its answer does not say. */
type Learned = { rows: number[]; categories: Category[] }

const nobodys = 0
const drawnMatch = fc.constantFrom<File['match']>('suggest', 'suggest', 'off')

/** Ids of things that exist only during a dry run. */
const passing = 1_000_000_000

export const importOperations = [
  operation(
    'import rows',
    5,
    {
      items: fc.array(item, { minLength: 1, maxLength: 4 }),
      isDryRun: seldom(4),
      match: drawnMatch,
      key: idempotencyKey,
    },
    (caller, { items: drawn, isDryRun, match, key }) => {
      const rows = drawn.map((one): FileRow => {
        const { account_id, to_account_id, category_id, ...rest } = itemOf(caller, one)
        return { ...rest, account: account_id, to: to_account_id, category: category_id }
      })
      return importRows(caller, rows, { isDryRun, match, key })
    },
  ),

  operation(
    'import rows again',
    4,
    { file: anyOf, match: drawnMatch, keepsKey: fc.boolean() },
    (caller, drawn) => {
      const file = caller.stage.state.imports.get(caller.pick('imports', drawn.file))
      if (file?.format !== 'json') return
      const rows: FileRow[] = JSON.parse(file.rows, (name, value) =>
        name === 'amount' ? BigInt(value) : value,
      )
      const key = drawn.keepsKey ? file.key : null
      return importRows(caller, rows, { isDryRun: false, match: drawn.match, key })
    },
  ),

  operation(
    'import a CSV file',
    3,
    {
      rows: fc.array(
        fc.record({
          item,
          category: fc.option(fc.constantFrom(...categoryNames, 'Books', 'books'), { freq: 4 }),
        }),
        { minLength: 1, maxLength: 4 },
      ),
      isDryRun: seldom(4),
      match: drawnMatch,
    },
    (caller, { rows: drawn, isDryRun, match }) => {
      const nameOf = (draw: Draw) => {
        const name = caller.stage.state.accounts.get(caller.pick('accounts', draw))?.name ?? 'Nowhere'
        return draw.nth % 5 === 0 ? name.toLowerCase() : name
      }
      const rows = drawn.map(({ item, category }): FileRow => {
        const { type, amount, description, reference, transaction_date } = enriched(caller.stage, item)
        const said = { type, amount, description, reference, transaction_date, client_id: null, force: false }
        return { ...said, account: nameOf(item.account), to: item.to && nameOf(item.to), category }
      })
      const path = `/api/import/store?dry_run=${isDryRun}&match=${match}`
      const file = { path, format: 'csv', rows, firstLine: 2, isDryRun, match, key: null }
      return importing(caller, file, uploadOf(csv(rows)))
    },
  ),

  operation(
    'import a bank statement',
    3,
    {
      account: anyOf,
      entries: fc.array(item, { minLength: 1, maxLength: 5 }),
      closing: fc.option(day, { freq: 2 }),
      isDryRun: seldom(4),
      match: drawnMatch,
    },
    (caller, { account: drawn, entries, closing, isDryRun, match }) => {
      const account = caller.pick('accounts', drawn)
      const rows = entries.map((entry): FileRow => {
        const { type, amount, description, reference, transaction_date } = enriched(caller.stage, entry)
        // Entries that move nothing are left out of statements, and transfers look like expenses.
        const moved = { type: type === 'income' ? type : ('expense' as const), amount: amount || 1n }
        const nowhere = { to: null, category: null, client_id: null, force: false }
        return { ...moved, account, transaction_date, description, reference, ...nowhere }
      })
      const balance = { account, date: closing ?? '', balance: 12_345n }
      const path = `/api/import/bank/store?dry_run=${isDryRun}&account_id=${account}&match=${match}`
      const statement = { path, format: 'ofx', rows, firstLine: 1, isDryRun, match, key: null }
      const file = { ...statement, ...(closing && { closing: balance }) }
      return importing(caller, file, uploadOf(ofx(file)))
    },
  ),

  operation('undo an import', 2, { file: anyOf, isForced: seldom(3) }, (caller, { file, isForced }) => {
    const id = caller.pick('imports', file)
    const path = `/api/imports/${id}${isForced ? '?force=true' : ''}`
    return caller.request('DELETE', path, {}, (state, user) =>
      claimed('imports', state.imports.get(id), user, () => undone(state, user, id, isForced)),
    )
  }),
]

export const listImports = operation('list the imports', 1, {}, (caller) =>
  caller.request('GET', '/api/imports', {}, (state, user) => ({
    status: 200,
    body: state
      .of(state.imports, user.id)
      .sort((a, b) => b.id - a.id)
      .map(({ id, kind, format, counts }) => ({ id, kind, format, counts })),
  })),
)

function importRows(
  caller: Caller,
  rows: FileRow[],
  { isDryRun, match, key }: Pick<File, 'isDryRun' | 'match' | 'key'>,
): Planned {
  const transactions = rows.map(({ account, to, category, ...rest }) => ({
    ...asSent(rest),
    account_id: account,
    to_account_id: to,
    category_id: category,
  }))
  const file = { path: '/api/import/store', format: 'json', rows, firstLine: 0, isDryRun, match, key }
  return importing(caller, file, {
    body: { transactions, dry_run: isDryRun, match },
    headers: keyHeader(key),
  })
}

/** The call that imports a file; what it created is looked up, so nothing may be deleted at the same time. */
function importing(caller: Caller, file: File, options: Parameters<Caller['request']>[2]): Planned {
  const call = caller.request('POST', file.path, options, (state, user, outcome) =>
    verified(user, () => imported(state, user, file, outcome)),
  )
  const send = async () => {
    const answer = await call.send()
    if (answer.status !== 200) return answer
    return { ...answer, learned: await whatCame(caller.stage.world, caller.userId, answer.body.import.id) }
  }
  const made = ({ status, body, learned }: Outcome): Made[] =>
    status === 200
      ? [['imports', body.import.id], ...(learned as Learned).rows.map((id) => ['rows', id] as Made)]
      : []
  const clashes = [
    'close an account',
    'leave',
    'delete a transaction',
    'join two transactions',
    'separate a transaction',
    'undo an import',
  ]
  return { ...call, send, made, clashes }
}

function imported(state: State, user: User, file: File, outcome: Outcome): Verdict {
  const unreadable = linesOf(file, (row) => !isReadable(row, file))
  if (unreadable.length > 0) return refused(unreadable, outcome)
  const same = ({ key }: Import) => key !== null && key === file.key
  const earlier = file.isDryRun ? undefined : state.of(state.imports, user.id).find(same)
  if (earlier && earlier.rows !== textOf(file.rows)) return { status: 422 }
  if (earlier) return { status: 200, body: shownImport(file, earlier.counts, null, earlier.id) }

  const items = file.rows.map((row) => resolved(state, user, row))
  const broken = linesOf(file, (_, position) => {
    const item = items[position] as Item
    return !isValid(state, user.id, item) || state.isSpent(user.id, item.client_id)
  })
  return broken.length > 0 ? refused(broken, outcome) : landed(state, user, file, items, outcome)
}

function refused(lines: number[], { body }: Outcome): Verdict {
  return { status: 422, seen: namedLines(body, lines), body: lines }
}

function landed(state: State, user: User, file: File, items: Item[], { body, learned }: Outcome): Verdict {
  const { rows, categories } = (learned ?? { rows: [], categories: [] }) as Learned
  const withCategories = file.isDryRun ? state : categoriesAdded(state, user, file.rows, categories)
  const assigned = items.map((item, position) => ({
    ...item,
    category_id: categoryOf(withCategories, user, file.rows[position] as FileRow),
  }))
  const id = file.isDryRun ? passing : body?.import?.id
  const ids = rows.values()
  const idFor = (position: number) => (file.isDryRun ? passing + position : ids.next().value)
  const origin = { is_synced: false, import_id: id }
  const { outcomes, next } = land(withCategories, user.id, assigned, origin, idFor)
  const count = (outcome: string) => outcomes.filter((one) => one.outcome === outcome).length
  const counts = {
    rows: items.length,
    created: count('created'),
    duplicate: count('duplicate'),
    deleted_before: count('deleted_before'),
  }
  const closing = next && closingOf(next, user, file)
  const shown = shownImport(file, counts, closing ?? null, file.isDryRun ? null : id)
  const kind = file.path.includes('bank') ? 'bank' : 'generic'
  const record = {
    id,
    user_id: user.id,
    kind,
    format: file.format,
    counts,
    key: file.key,
    rows: textOf(file.rows),
  }
  const kept = next?.after((next) => next.imports.set(id, record))
  const problems = next && body?.import ? problemsOfImport(next, user.id, { ...body.import, id, file }) : []
  const verdict = withinBounds(kept, user.id, 'amount', { status: 200, body: { ...shown, problems: '' } })
  if (verdict.status === 200) verdict.seen = { ...body, problems: problems.join('; ') }
  return file.isDryRun && verdict.next ? { ...verdict, next: state } : verdict
}

function shownImport(
  file: File,
  counts: Import['counts'],
  closing_balance: object | null,
  id: number | null,
) {
  return {
    message: messageOf(file, counts.created === 1 ? '1 transaction' : `${counts.created} transactions`),
    import: { id, format: file.format, counts, skipped: 0, dry_run: file.isDryRun, closing_balance },
  }
}

function messageOf({ isDryRun }: File, created: string) {
  return isDryRun
    ? `Nothing was stored: this was a dry run, and the import would add ${created}.`
    : `Successfully imported ${created}.`
}

function textOf(rows: FileRow[]): string {
  return JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value))
}

/** Account names match exactly or, failing that, without regard to case; a name that two accounts share matches neither. */
function resolved(state: State, user: User, { account, to, category, ...rest }: FileRow): Item {
  const own = state.of(state.accounts, user.id)
  const only = (matches: (name: string) => boolean) => {
    const found = own.filter(({ name }: Account) => matches(name))
    return found.length === 1 ? found[0]?.id : undefined
  }
  const idOf = (named: number | string) =>
    typeof named === 'number'
      ? named
      : (only((name) => name === named) ??
        only((name) => name.toLowerCase() === named.toLowerCase()) ??
        nobodys)
  const category_id = typeof category === 'number' ? category : null
  return { ...rest, account_id: idOf(account), to_account_id: to === null ? null : idOf(to), category_id }
}

/** The errors of a file that need no database; in a list of rows, only those of amounts. */
function isReadable({ amount, type, to }: FileRow, { format }: File): boolean {
  return amount > 0n && (format !== 'csv' || (type === 'transfer') === (to !== null))
}

function linesOf({ rows, firstLine }: File, is: (row: FileRow, position: number) => boolean): number[] {
  return rows.flatMap((row, position) => (is(row, position) ? [position + firstLine] : []))
}

/** The lines that were named; a wrong account of the form concerns all of them. */
function namedLines(body: Outcome['body'], all: number[]): unknown {
  const keys = Object.keys(body?.errors ?? {})
  if (keys.length === 1 && keys[0] === 'account_id') return all
  return [...new Set(keys.map((key) => Number(key.split('.')[1])))].sort((a, b) => a - b)
}

/** Creates categories that the user has in neither type, with the type of the first row that names them. */
function categoriesAdded(state: State, user: User, rows: FileRow[], made: Category[]): State {
  return state.after((next) => {
    for (const { category: name, type: rowType } of rows) {
      if (typeof name !== 'string') continue
      const isSame = (category: Category) => nameKey(category.name) === nameKey(name)
      if (next.of(next.categories, user.id).some(isSame)) continue
      const type = rowType === 'income' ? 'income' : 'expense'
      const id = made.find((category) => isSame(category) && category.type === type)?.id ?? nobodys
      next.categories.set(id, { id, user_id: user.id, name, type, version: 1 })
    }
  })
}

/** Of two categories with the same name, the one of the row's type, or else the older one. */
function categoryOf(state: State, user: User, { category, type }: FileRow): number | null {
  if (typeof category !== 'string') return category
  const found = state
    .of(state.categories, user.id)
    .filter(({ name }) => nameKey(name) === nameKey(category))
    .sort((a, b) => a.id - b.id)
  return (found.find((one) => one.type === type) ?? found[0])?.id ?? null
}

function closingOf(state: State, user: User, { closing }: File) {
  if (!closing) return null
  const { account, date, balance } = closing
  const actual = bookedBalance(state, user, account, date)
  // Only today's balances are kept within bounds.
  if (actual > maxTotal || actual < -maxTotal) return null
  return {
    date,
    statement: Number(decimal(balance)),
    account: Number(decimal(actual)),
    agrees: actual === balance,
  }
}

/** The balance of an account after a day. What was joined counts on the day when the bank booked it, at most a month away. */
function bookedBalance(state: State, user: User, account: number, day: string): bigint {
  let balance = state.balances(user.id, day).get(account) ?? 0n
  const month = 31 * dayMs
  for (const row of state.of(state.rows, user.id)) {
    if (row.account_id !== account && row.to_account_id !== account) continue
    const [booked] = state
      .of(state.joined, user.id)
      .filter(({ survivor }) => survivor === row.id)
      .sort((a, b) => b.nth - a.nth)
      .map(({ row }) => row.filed ?? row)
      .filter(({ account_id, import_id }) => account_id === account && import_id !== null)
      .filter(({ transaction_date }) => Math.abs(Date.parse(transaction_date) - Date.parse(day)) <= month)
    const isLater = row.transaction_date > day
    if (!booked || booked.transaction_date > day === isLater) continue
    const amount = booked.type === 'income' ? row.amount : -row.amount
    balance += isLater ? amount : -amount
  }
  return balance
}

/**
 * All rows are removed except edited ones, and their client ids can be used again. Before that, the joins in which they
 * take part are undone.
 */
function undone(state: State, user: User, id: number, isForced: boolean): Verdict {
  const own = state
    .of(state.rows, user.id)
    .filter(({ import_id, filed }) => (filed ?? { import_id }).import_id === id)
  const isOwn = ({ row }: Joined) => (row.filed ?? row).import_id === id
  const joined = state.of(state.joined, user.id)
  const ends = new Set([
    ...own.filter((row) => row.filed || !row.isEdited || isForced).map(({ id }) => id),
    ...joined.filter(isOwn).map(({ id }) => id),
  ])
  const parted = joined.filter((one) => canComeBack(state, one) && (isOwn(one) || ends.has(one.into)))
  const next = separated(state, parted).after((next) => {
    const unbooked = <T extends Pick<Row, 'booked_by'>>(row: T): T =>
      row.booked_by === id ? { ...row, booked_by: null } : row
    for (const one of next.joined.values()) {
      const { filed } = one.row
      next.joined.set(one.id, { ...one, row: { ...unbooked(one.row), filed: filed && unbooked(filed) } })
    }
    for (const row of next.of(next.rows, user.id).sort((a, b) => a.id - b.id)) {
      const filed = row.filed && unbooked(row.filed)
      const isForgotten = filed !== row.filed && filed?.import_id === null && !filed.kind
      const free = { ...unbooked(row), filed: isForgotten ? null : filed }
      if (row.import_id !== id) next.rows.set(row.id, free)
      else if (row.isEdited && !isForced) next.rows.set(row.id, { ...free, import_id: null })
      else next.removeRow(row, false)
    }
    for (const { id: gone, import_id, booked_by } of next.remembered.values())
      if (import_id === null && booked_by === id) next.remembered.delete(gone)
    next.imports.delete(id)
  })
  return withinBounds(next, user.id, 'amount', { status: 204 })
}

async function whatCame(world: World, userId: number, importId: number | null): Promise<Learned> {
  const db = openWorldDatabase(world)
  const [rows, categories] = await db.batch([
    db.all<{ id: number }>(sql`
      select id from transactions where import_id = ${importId}
       union
      select id from remembered where import_id = ${importId} and user_id = ${userId} and joined_id <> id order by id`),
    db.all<Category>(sql`select id, user_id, name, type, version from categories where user_id = ${userId}`),
  ])
  return { rows: rows.map(({ id }) => id), categories }
}
