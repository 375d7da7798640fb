import * as fc from 'fast-check'
import {
  anyOf,
  type Caller,
  type Draw,
  invalid,
  operation,
  seldom,
  type Verdict,
  withinBounds,
} from './calls.ts'
import { isPair, problemsOf } from './pairs.ts'
import { mayAgree } from './rules.ts'
import { shownRow } from './shown.ts'
import { asFiled, isOfFile, type Joined, type MatchKind, type Row, type State, type User } from './state.ts'

const kind = fc.constantFrom<MatchKind>('duplicate', 'transfer')
const given = ['category_id', 'description', 'reference'] as const

/** Two rows and a kind of match: mostly rows that can be such a match, if there are any. */
const pair = { kind, one: anyOf, other: anyOf, isAny: seldom(5) }
type DrawnPair = { kind: MatchKind; one: Draw; other: Draw; isAny: boolean }

function idsOf(caller: Caller, { kind, one, other, isAny }: DrawnPair): [number, number] {
  const { stage, userId } = caller
  const rows = stage.state.of(stage.state.rows, userId)
  const fitting = new Map(
    rows.map((row) => [row.id, rows.filter((another) => isPair(kind, row, another)).map(({ id }) => id)]),
  )
  const firsts = [...fitting].filter(([, others]) => others.length > 0).map(([id]) => id)
  const first = (isAny ? undefined : stage.choose('rows', firsts, one.nth)) ?? caller.pick('rows', one)
  const second = stage.choose('rows', isAny ? [] : (fitting.get(first) ?? []), other.nth)
  return [first, second ?? caller.pick('rows', other)]
}

/**
 * What people do about matches. Rich users join nothing: while a join is being undone the money is there twice, so
 * near the bounds it depends on the order of the statements whether that is refused.
 */
export const matchOperations = [
  operation('join two transactions', 6, pair, (caller, drawn) => {
    if (caller.stage.isRich) return
    const ids = idsOf(caller, drawn)
    const { kind } = drawn
    return caller.request('POST', '/api/matches/join', { body: { kind, ids } }, (state, user) =>
      joinedBy(state, user, kind, ids),
    )
  }),

  operation('join them again', 1, { nth: anyOf }, (caller, { nth }) => {
    const joined = caller.stage.state.of(caller.stage.state.joined, caller.userId)
    const id = caller.stage.choose(
      'rows',
      joined.map(({ id }) => id),
      nth.nth,
    )
    const again = caller.stage.state.joined.get(id ?? 0)
    if (!again) return
    const ids: [number, number] = [again.id, again.into]
    return caller.request('POST', '/api/matches/join', { body: { kind: again.kind, ids } }, (state, user) =>
      joinedBy(state, user, again.kind, ids),
    )
  }),

  operation('separate a transaction', 4, { row: anyOf, isAny: seldom(4) }, (caller, { row, isAny }) => {
    const { state } = caller.stage
    const tops = state.of(state.joined, caller.userId).map(({ survivor }) => survivor)
    const id = (isAny ? undefined : caller.stage.choose('rows', tops, row.nth)) ?? caller.pick('rows', row)
    return caller.request('POST', '/api/matches/separate', { body: { id } }, (state, user) => {
      const last = state
        .of(state.joined, user.id)
        .filter((one) => one.survivor === id && one.into === id && canComeBack(state, one))
        .sort((a, b) => b.nth - a.nth || b.id - a.id)[0]
      if (!last) return invalid({ id: ['The selected id is invalid.'] })
      const next = separated(state, [last])
      const transactions = [id, last.id].map((id) => shownRow(next.rows.get(id) as Row))
      return withinBounds(next, user.id, 'amount', { status: 200, body: { transactions } })
    })
  }),

  operation('reject a match', 2, pair, (caller, drawn) => {
    const ids = idsOf(caller, drawn)
    const { kind } = drawn
    return caller.request('POST', '/api/matches/reject', { body: { kind, ids } }, (state, user) => {
      if (wrongIds(state, user, ids)) return invalid(wrongIds(state, user, ids))
      return { status: 204, next: state.after(({ rejected }) => rejected.add(keyOf(kind, ids))) }
    })
  }),

  operation('take a rejection back', 2, { nth: fc.nat(9) }, (caller, { nth }) => {
    const { rejected, rows } = caller.stage.state
    const own = [...rejected]
      .map((key) => key.split(' '))
      .filter(([, ...ids]) => ids.every((id) => rows.get(Number(id))?.user_id === caller.userId))
    const [kind = '', one, other] = own[nth % Math.max(1, own.length)] ?? []
    if (one === undefined || other === undefined) return
    const ids: [number, number] = [Number(one), Number(other)]
    return caller.request('DELETE', '/api/matches/reject', { body: { kind, ids } }, (state, user) => {
      if (wrongIds(state, user, ids)) return invalid(wrongIds(state, user, ids))
      return { status: 204, next: state.after(({ rejected }) => rejected.delete(keyOf(kind, ids))) }
    })
  }),
]

/** All of the days on which much happens, or some of them. */
const days = fc.constantFrom('', 'from=2026-01-01&to=2026-01-31', 'from=2025-12-30&to=2026-01-31')

export const listMatches = operation(
  'list the matches',
  4,
  { kind: fc.option(kind), days },
  (caller, drawn) => {
    const { kind, days } = drawn
    const path = `/api/matches?${days}${kind ? `&kind=${kind}` : ''}`
    const [from, to] = [...days.matchAll(/\d{4}-\d\d-\d\d/g)].map(String)
    const span = { from: from ?? '2025-11-03', to: to ?? '2026-02-01' }
    return caller.request('GET', path, {}, (state, user, { body }) => ({
      status: 200,
      seen: body.matches && problemsOf(state, user.id, body.matches, { kind, ...span }).join('; '),
      body: '',
    }))
  },
)

const keyOf = (kind: string, [one, other]: [number, number]) =>
  `${kind} ${Math.min(one, other)} ${Math.max(one, other)}`

/** The errors for ids that are not the user's, or that are the same. */
function wrongIds(state: State, user: User, ids: [number, number]): Record<string, string[]> | undefined {
  if (ids[0] === ids[1]) return { ids: ['The ids field must be a list of two different ids.'] }
  const wrong: Record<string, string[]> = {}
  for (const [at, id] of ids.entries())
    if (state.rows.get(id)?.user_id !== user.id) wrong[`ids.${at}`] = ['The selected id is invalid.']
  return Object.keys(wrong).length > 0 ? wrong : undefined
}

function joinedBy(state: State, user: User, kind: MatchKind, ids: [number, number]): Verdict {
  const before = ids
    .map((id) => state.joined.get(id))
    .find((one) => one?.kind === kind && ids.includes(one.into))
  const remains = state.rows.get(before?.into ?? 0)
  if (remains?.user_id === user.id) return { status: 200, body: shownRow(remains) }
  const wrong = wrongIds(state, user, ids)
  if (wrong) return invalid(wrong)
  const [one, other] = ids.map((id) => state.rows.get(id) as Row) as [Row, Row]
  if (!isPair(kind, one, other)) return { status: 422 }
  const next = joined(state, kind, one, other)
  const into = next.rows.get(one.id) ?? next.rows.get(other.id)
  return withinBounds(next, user.id, 'amount', { status: 200, body: shownRow(into as Row) })
}

/** The outflow remains or, for a duplicate, a transfer, a typed row or the older one. */
function inOrder(kind: MatchKind, one: Row, other: Row): [remains: Row, goes: Row] {
  const rank = (row: Row) =>
    kind === 'transfer'
      ? [Number(row.type !== 'expense')]
      : [Number(row.type !== 'transfer'), Number(row.import_id !== null), row.id]
  const [ranks, others] = [rank(one), rank(other)]
  const differs = ranks.findIndex((each, nth) => each !== others[nth])
  return (ranks[differs] ?? 0) < (others[differs] ?? 0) ? [one, other] : [other, one]
}

/** The state once two rows are one. */
export function joined(state: State, kind: MatchKind, one: Row, other: Row): State {
  const [row, gone] = inOrder(kind, one, other)
  return state.after((next) => {
    const remains = { ...row, version: row.version + 1 }
    const gave = given.filter((field) => row[field] === null)
    for (const field of gave) Object.assign(remains, { [field]: gone[field] })
    if (kind === 'transfer') {
      const { filed: _, ...own } = row
      remains.filed = row.filed
        ? { ...row.filed, booked_by: row.filed.booked_by ?? row.booked_by }
        : { ...own, kind }
      Object.assign(remains, { type: 'transfer', to_account_id: gone.account_id, booked_by: null })
    }
    for (const below of next.joined.values())
      if (below.survivor === gone.id) next.joined.set(below.id, { ...below, survivor: row.id })
    next.removeRow(gone)
    const nth = 1 + Math.max(0, ...[...next.joined.values()].map(({ nth }) => nth))
    const { id, user_id } = gone
    next.joined.set(id, { id, user_id, kind, row: gone, into: row.id, survivor: row.id, gave, nth })
    next.rows.set(row.id, remains)
  })
}

export const canComeBack = (state: State, { row }: Joined) =>
  [row.account_id, row.to_account_id ?? row.account_id].every((id) => state.accounts.has(id))

/** The state once joined rows are back, and those that remained have lost what they gained from them. */
export function separated(state: State, all: Joined[]): State {
  return state.after((next) => {
    for (const { id, row } of all) {
      const { import_id, booked_by } = row.filed ?? row
      const back: Row = {
        ...row,
        version: row.version + 1,
        category_id: next.categories.has(row.category_id ?? 0) ? row.category_id : null,
        import_id: next.imports.has(import_id ?? 0) ? import_id : null,
        booked_by,
      }
      next.rows.set(id, back)
      next.joined.delete(id)
      if (row.client_id !== null) next.spent.delete(`${row.user_id} ${row.client_id}`)
    }
    const isOutflow = (id: number) =>
      [...next.joined.values()].some(({ into, kind }) => into === id && kind === 'transfer')
    for (const { id } of all) {
      const back = next.rows.get(id) as Row
      const filed =
        isOutflow(id) && back.filed ? { ...back.filed, kind: 'transfer' as const } : stillFiled(back)
      next.rows.set(id, { ...back, filed })
    }
    const top = (id: number): number => {
      const joined = next.joined.get(id)
      return joined ? top(joined.into) : id
    }
    for (const below of next.joined.values())
      if (all.some(({ survivor }) => survivor === below.survivor))
        next.joined.set(below.id, { ...below, survivor: top(below.id) })
    for (const [into, gone] of Map.groupBy(all, ({ into }) => into)) {
      const row = next.rows.get(into)
      if (!row) continue
      const lost: Row = { ...row, version: row.version + 1 }
      for (const { kind, gave, row: other } of gone) {
        for (const field of gave) if (lost[field] === other[field]) Object.assign(lost, { [field]: null })
        if (kind !== 'transfer') continue
        if (lost.to_account_id === other.account_id) {
          // A file may have had the transfer as well.
          Object.assign(lost, { type: 'expense', to_account_id: null, filed: asFiled(row) })
        }
        lost.booked_by = row.filed?.booked_by ?? null
      }
      next.rows.set(into, { ...lost, filed: isOutflow(into) ? lost.filed : stillFiled(lost) })
    }
    const changed = new Set(all.map(({ into }) => into))
    for (const one of all) takeBackOfJoined(next, one, changed)
  })
}

/**
 * Takes what a row gave from one that has itself been joined since, and from those to which that one passed it on. Adds
 * the row where that ends to `changed`, and raises its version unless it was there.
 */
function takeBackOfJoined(next: State, { into, gave, row: giver, kind }: Joined, changed: Set<number>) {
  const between = next.joined.get(into)
  if (!between) return
  const isOutflow = kind === 'transfer' && between.row.to_account_id === giver.account_id
  const lost = { ...between.row, ...(isOutflow && { type: 'expense' as const, to_account_id: null }) }
  const fields = gave.filter((field) => giver[field] !== null && lost[field] === giver[field])
  for (const field of fields) Object.assign(lost, { [field]: null })
  next.joined.set(into, { ...between, row: lost })
  const passed = fields.filter((field) => between.gave.includes(field))
  if (passed.length === 0) return
  const top = next.rows.get(between.into)
  if (!top)
    return takeBackOfJoined(next, { ...between, row: giver, gave: passed, kind: 'duplicate' }, changed)
  const without = passed.filter((field) => top[field] === giver[field]).map((field) => [field, null])
  const version = top.version + (changed.has(top.id) ? 0 : 1)
  next.rows.set(top.id, { ...top, ...Object.fromEntries(without), version })
  changed.add(top.id)
}

/** What the file has for a row that is no longer joined, if that differs from the row. */
function stillFiled(row: Row): Row['filed'] {
  const { filed } = row
  if (!filed || !isOfFile(filed)) return null
  const isSame = (['account_id', 'to_account_id', 'type', 'amount', 'transaction_date'] as const).every(
    (field) => filed[field] === row[field],
  )
  const { kind: _, ...rest } = filed
  return isSame && mayAgree(filed, row) ? null : rest
}
