import { sql } from 'drizzle-orm'
import * as fc from 'fast-check'
import { openWorldDatabase } from '../laws/every-route.ts'
import type { World } from '../world.ts'
import {
  anyOf,
  type Bearer,
  claimed,
  type Draw,
  type Made,
  type Outcome,
  operation,
  type Planned,
  seldom,
  type Verdict,
  withinBounds,
} from './calls.ts'
import { categoryNames, nameKey } from './categories.ts'
import { isSound, land } from './rules.ts'
import { decimal } from './shown.ts'
import type { Account, Category, Item, State, User } from './state.ts'
import { verified } from './sync.ts'
import { asSent, day, item, itemOf, scaled } from './transactions.ts'

/** A row as a file names things: accounts and categories by id or by name. */
type FileRow = Omit<Item, 'account_id' | 'to_account_id' | 'category_id'> & {
  account: number | string
  to: number | string | null
  category: number | string | null
}
type File = {
  path: string
  format: string
  rows: FileRow[]
  /** Where the first row is, as errors name it. */
  firstLine: number
  isDryRun: boolean
  closing?: { account: number; date: string; balance: bigint }
}
/** What was looked up of an import, since its answer does not tell. */
type Learned = { rows: number[]; categories: Category[] }

const nobodys = 0

export const importOperations = [
  operation(
    'import rows',
    3,
    { items: fc.array(item, { minLength: 1, maxLength: 4 }), isDryRun: seldom(4) },
    (bearer, { items: drawn, isDryRun }) => {
      const items = drawn.map((one) => itemOf(bearer, one))
      const rows = items.map(({ account_id, to_account_id, category_id, ...rest }) => ({
        ...rest,
        account: account_id,
        to: to_account_id,
        category: category_id,
      }))
      const body = { transactions: items.map(asSent), dry_run: isDryRun }
      const file = { path: '/api/import/store', format: 'json', rows, firstLine: 1, isDryRun }
      return importing(bearer, file, { body })
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
    },
    (bearer, { rows: drawn, isDryRun }) => {
      const nameOf = (draw: Draw) => {
        const name = bearer.stage.state.accounts.get(bearer.pick('accounts', draw))?.name ?? 'Nowhere'
        return draw.nth % 5 === 0 ? name.toLowerCase() : name
      }
      const rows = drawn.map(({ item, category }): FileRow => {
        const { type, description, reference, transaction_date } = item
        const amount = scaled(bearer.stage, item.amount)
        const said = { type, amount, description, reference, transaction_date, client_id: null, force: false }
        return { ...said, account: nameOf(item.account), to: item.to && nameOf(item.to), category }
      })
      const path = `/api/import/store?dry_run=${isDryRun}`
      const file = { path, format: 'csv', rows, firstLine: 2, isDryRun }
      return importing(bearer, file, uploadOf(csv(rows)))
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
    },
    (bearer, { account: drawn, entries, closing, isDryRun }) => {
      const account = bearer.pick('accounts', drawn)
      const rows = entries.map(({ type, amount, description, reference, transaction_date }): FileRow => {
        const said = { amount: amount === 0n ? 1n : scaled(bearer.stage, amount), description, reference }
        const nowhere = { to: null, category: null, client_id: null, force: false }
        const direction = type === 'income' ? ('income' as const) : ('expense' as const)
        return { type: direction, account, transaction_date, ...said, ...nowhere }
      })
      const balance = { account, date: closing ?? '', balance: 12_345n }
      const path = `/api/import/bank/store?dry_run=${isDryRun}&account_id=${account}`
      const statement = { path, format: 'ofx', rows, firstLine: 1, isDryRun }
      const file = { ...statement, ...(closing && { closing: balance }) }
      return importing(bearer, file, uploadOf(ofx(file)))
    },
  ),

  operation('undo an import', 2, { file: anyOf, isForced: seldom(3) }, (bearer, { file, isForced }) => {
    const id = bearer.pick('imports', file)
    const path = `/api/imports/${id}${isForced ? '?force=true' : ''}`
    return bearer.request('DELETE', path, {}, (state, user) =>
      claimed('imports', state.imports.get(id), user, () => undone(state, user, id, isForced)),
    )
  }),
]

export const listImports = operation('list the imports', 1, {}, (bearer) =>
  bearer.request('GET', '/api/imports', {}, (state, user) => ({
    status: 200,
    body: state
      .of(state.imports, user.id)
      .sort((a, b) => b.id - a.id)
      .map(({ user_id: _, ...shown }) => shown),
  })),
)

/** The call that imports a file; what it created is looked up, so nothing may go away at the same time. */
function importing(bearer: Bearer, file: File, options: Parameters<Bearer['request']>[2]): Planned {
  const call = bearer.request('POST', file.path, options, (state, user, outcome) =>
    verified(user, () => imported(state, user, file, outcome)),
  )
  const send = async () => {
    const answer = await call.send()
    if (answer.status !== 200) return answer
    return { ...answer, learned: await whatCame(bearer.stage.world, bearer.userId, answer.body.import.id) }
  }
  const made = ({ status, body, learned }: Outcome): Made[] =>
    status === 200
      ? [['imports', body.import.id], ...(learned as Learned).rows.map((id) => ['rows', id] as Made)]
      : []
  return { ...call, send, made, clashes: ['close an account', 'leave', 'delete a transaction'] }
}

function imported(state: State, user: User, file: File, { body, learned }: Outcome): Verdict {
  const items = file.rows.map((row) => resolved(state, user, row))
  const unreadable = linesOf(file, (row) => !isReadable(row, file))
  const broken = linesOf(file, (_, position) => {
    const item = items[position] as Item
    return !isSound(state, user.id, item) || state.isSpent(user.id, item.client_id)
  })
  const wrong = unreadable.length > 0 ? unreadable : broken
  if (wrong.length > 0) return { status: 422, seen: namedLines(body, wrong), body: wrong }

  const { rows, categories } = (learned ?? { rows: [], categories: [] }) as Learned
  const withCategories = file.isDryRun ? state : categoriesAdded(state, user, file.rows, categories)
  const assigned = items.map((item, position) => ({
    ...item,
    category_id: categoryOf(withCategories, user, file.rows[position] as FileRow),
  }))
  const import_id = body?.import?.id
  const ids = rows.values()
  const idFor = () => ids.next().value
  const { outcomes, next } = land(withCategories, user.id, assigned, { is_synced: false, import_id }, idFor)
  const count = (outcome: string) => outcomes.filter((one) => one.outcome === outcome).length
  const counts = { rows: items.length, created: count('created'), duplicate: count('duplicate') }
  const answer = {
    message: `Successfully imported ${counts.created} transactions.`,
    import: {
      ...(file.isDryRun && { id: null }),
      format: file.format,
      counts,
      skipped: 0,
      dry_run: file.isDryRun,
      closing_balance: next ? closingOf(next, user, file) : null,
    },
  }
  const kind = file.path.includes('bank') ? 'bank' : 'generic'
  const record = { id: import_id, user_id: user.id, kind, format: file.format, counts }
  const kept = next?.after((next) => next.imports.set(import_id, record))
  const verdict = withinBounds(kept, user.id, 'amount', { status: 200, body: answer })
  return file.isDryRun && verdict.next ? { ...verdict, next: state } : verdict
}

/** Names of accounts count exactly, else without regard to case; a name that two have is nobody's. */
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

/** What a file says that needs no database to be wrong; of a list of rows it is only the amount. */
function isReadable({ amount, type, to }: FileRow, { format }: File): boolean {
  return amount > 0n && (format !== 'csv' || (type === 'transfer') === (to !== null))
}

function linesOf({ rows, firstLine }: File, is: (row: FileRow, position: number) => boolean): number[] {
  return rows.flatMap((row, position) => (is(row, position) ? [position + firstLine] : []))
}

/** Which lines were named; of an account of the form that is wrong, all are meant. */
function namedLines(body: Outcome['body'], all: number[]): unknown {
  const keys = Object.keys(body?.errors ?? {})
  if (keys.length === 1 && keys[0] === 'account_id') return all
  return [...new Set(keys.map((key) => Number(key.split('.')[1])))].sort((a, b) => a - b)
}

/** Categories that no row of the user's has in either type are made, with the type of the first row that names them. */
function categoriesAdded(state: State, user: User, rows: FileRow[], made: Category[]): State {
  return state.after((next) => {
    for (const { category: name, type: rowType } of rows) {
      if (typeof name !== 'string') continue
      const isSame = (category: Category) => nameKey(category.name) === nameKey(name)
      if (next.of(next.categories, user.id).some(isSame)) continue
      const type = rowType === 'income' ? 'income' : 'expense'
      const id = made.find((category) => isSame(category) && category.type === type)?.id ?? nobodys
      next.categories.set(id, { id, user_id: user.id, name, type })
    }
  })
}

/** Of two categories of one name it is that of the row's type, else the older. */
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
  const actual = state.balances(user.id, date).get(account) ?? 0n
  return {
    date,
    statement: Number(decimal(balance)),
    account: Number(decimal(actual)),
    agrees: actual === balance,
  }
}

/** Rows go one by one, but for those that were edited; their client ids can be used again. */
function undone(state: State, user: User, id: number, isForced: boolean): Verdict {
  let isPastBounds = false
  const next = state.after((next) => {
    for (const row of state.of(state.rows, user.id).sort((a, b) => a.id - b.id)) {
      if (row.import_id !== id) continue
      if (row.isEdited && !isForced) next.rows.set(row.id, { ...row, import_id: null })
      else next.removeRow(row, false)
      isPastBounds ||= !next.isInBounds(user.id)
    }
    next.imports.delete(id)
  })
  return withinBounds(isPastBounds ? undefined : next, user.id, 'amount', { status: 204 })
}

function csv(rows: FileRow[]): string {
  const lines = rows.map((row) =>
    [
      row.transaction_date,
      decimal(row.amount),
      row.type,
      row.account,
      row.to,
      row.category,
      row.description,
      row.reference,
    ].join(','),
  )
  return `date,amount,type,account,to_account,category,description,reference\n${lines.join('\n')}\n`
}

function ofx({ rows, closing }: Pick<File, 'rows' | 'closing'>): string {
  const compact = (date: string) => date.replaceAll('-', '')
  const entries = rows.map((row) =>
    [
      `<STMTTRN><TRNTYPE>OTHER<DTPOSTED>${compact(row.transaction_date)}`,
      `<TRNAMT>${decimal(row.type === 'income' ? row.amount : -row.amount)}`,
      row.reference === null ? '' : `<FITID>${row.reference}`,
      row.description === null ? '' : `<NAME>${row.description}`,
      '</STMTTRN>',
    ].join('\n'),
  )
  const balance = closing
    ? `<LEDGERBAL><BALAMT>${decimal(closing.balance)}<DTASOF>${compact(closing.date)}</LEDGERBAL>`
    : ''
  return `OFXHEADER:100\n\n<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>EUR<BANKTRANLIST>${entries.join('\n')}</BANKTRANLIST>${balance}</STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>`
}

/** The file as the whole body; its options are in the query. */
function uploadOf(file: string) {
  return { rawBody: file, headers: { 'Content-Type': 'text/plain' } }
}

async function whatCame(world: World, userId: number, importId: number | null): Promise<Learned> {
  const db = openWorldDatabase(world)
  const [rows, categories] = await db.batch([
    db.all<{ id: number }>(sql`select id from transactions where import_id = ${importId} order by id`),
    db.all<Category>(sql`select id, user_id, name, type from categories where user_id = ${userId}`),
  ])
  return { rows: rows.map(({ id }) => id), categories }
}
