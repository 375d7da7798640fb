import { expect } from 'vitest'
import { addDays } from '../../../src/domain/dates.ts'
import { isOccurrence } from '../../../src/domain/recurrence/dates.ts'
import { parseRecurrenceRule } from '../../../src/domain/recurrence/rule.ts'
import type { Everything } from '../fixtures/feed-copy.ts'
import type { Json } from '../fixtures/responses.ts'

export type Noun = 'profile' | 'account' | 'category' | 'recurring' | 'transaction'
/** An operation as it is uploaded. */
export type Operation = {
  op: 'create' | 'update' | 'delete'
  noun: Noun
  id?: number
  client_id?: string
  set?: Json
  was?: Json
}
/** The outcome of one, as the response has it. */
export type Result = {
  index: number
  outcome: string
  id?: number
  version?: number
  fields?: string[]
  errors?: Json
  uncategorised?: boolean
  data?: Json
}

/** Values that occur only once in a history: from what a field was and what it became, its whole past can be told. */
const isUnique = (value: unknown): value is string =>
  typeof value === 'string' && /^(s\d+|\d+\.\d\d)$/.test(value)
/** An account that was created by an upload whose response was lost. */
const unknown = 0
const fields = ['amount', 'description', 'name', 'notes']
const exceptionPrefix = 'exceptions.'
/** For so long, exceptions are certain to be kept, even if the clock has been put back since. */
const keptDays = 110

/** A value of a row. An exception may move to the rule that continues its own, so its key is without the id. */
const keyOf = (noun: Noun, id: number, field: string) =>
  field.startsWith(exceptionPrefix) ? `${noun} ${field}` : `${noun} ${id} ${field}`

/** The values of a rule, or of a change of one, with a field for the amount of each exception. */
function flattened(values: Json = {}): Json {
  const { exceptions = {}, ...others } = values
  const amounts = Object.entries<Json>(exceptions).map(([date, one]) => [
    `${exceptionPrefix}${date}`,
    one?.amount ?? null,
  ])
  return { ...others, ...Object.fromEntries(amounts) }
}

/**
 * What the service has promised one user: that what it accepted stays until a user who knew of it changes it. It learns
 * what was executed even if no device does.
 */
export class Ledger {
  /** For a value of a field, the one with which a user who had seen it replaced it. */
  readonly #successors = new Map<string, string>()
  /** Values that have been accepted as replacements, each with its field. */
  readonly #accepted: { noun: Noun; id: number; field: string; value: string }[] = []
  /** Values that a user may have replaced, by an upload that may or may not have been executed. */
  readonly #perhaps = new Set<string>()
  /** Fields that were written by a user who did not say what they had seen. */
  readonly #blind = new Set<string>()
  readonly #removedAs: string[] = []
  readonly #made = new Map<string, number>()
  readonly #versions = new Set<string>()
  /** Rows that a user has tried to delete. */
  readonly doomed = new Set<string>()
  /** Transactions and rules, and the accounts in which they are known to have been. */
  readonly #seenIn = new Map<string, Set<number>>()

  /** Notes what an upload has done. */
  note(operations: Operation[], results: Result[]): void {
    // Rows that others may refer to come first.
    for (const { index, outcome, id } of results) {
      const { op, noun, client_id } = operations[index] as Operation
      if (op === 'create' && id !== undefined && outcome !== 'invalid')
        this.#noteMade(`${noun} ${client_id}`, id, outcome)
    }
    for (const { index, outcome, version, ...result } of results) {
      const operation = operations[index] as Operation
      const { noun, op } = operation
      const id = result.id ?? this.#idOf(operation)
      if (op === 'delete' && id !== undefined) this.doomed.add(`${noun} ${id}`)
      if (id === undefined || outcome === 'conflict' || outcome === 'invalid') continue
      this.#noteAccounts(id, operation)
      // Exceptions may be those of another rule alone, which continues the one that is named.
      const isOfRow = noun !== 'profile' && !operation.set?.exceptions
      if (outcome === 'updated' && isOfRow) this.#noteVersion(`${noun} ${id} ${version}`)
      if (op === 'update' && outcome !== 'gone') this.#noteUpdate(id, operation)
      if (outcome === 'deleted') for (const key of keysOf(id, operation)) this.#removedAs.push(key)
    }
  }

  /** Notes operations that may or may not have been done; the ids of rows are those that a copy has. */
  noteUnknown(operations: Operation[], idOf: (operation: Operation) => number | undefined): void {
    for (const operation of operations) {
      const id = idOf(operation) ?? this.#idOf(operation)
      if (id === undefined) continue
      this.#noteAccounts(id, operation)
      if (operation.op === 'delete') this.doomed.add(`${operation.noun} ${id}`)
      for (const key of keysOf(id, operation)) this.#perhaps.add(key)
      this.#noteBlind(id, operation)
    }
  }

  /** Notes a write that does not say what was seen. */
  noteBlind(noun: Noun, id: number, set: Json): void {
    for (const field of Object.keys(flattened(set))) this.#blind.add(keyOf(noun, id, field))
  }

  /** Notes a transaction or a rule as a copy has seen it. */
  noteSeen(noun: Noun, { id, account_id, to_account_id }: Json): void {
    const key = `${noun} ${id}`
    const seen = this.#seenIn.get(key) ?? new Set()
    this.#seenIn.set(key, seen)
    for (const account of [account_id, to_account_id]) if (account !== null) seen.add(account)
  }

  /** Expects that nothing that was promised is missing, and that nothing is there twice. */
  settle(all: Everything): void {
    const { profile, accounts, categories, recurring, transactions } = all
    const rows = new Map<string, Json>([[`profile ${profile.id}`, profile]])
    for (const [noun, some] of Object.entries({
      account: accounts,
      category: categories,
      recurring,
      transaction: transactions,
    }))
      for (const row of some) rows.set(`${noun} ${row.id}`, row)
    const lost = this.#accepted.filter(({ noun, id, field, value }) => {
      const row = rows.get(`${noun} ${id}`)
      const key = keyOf(noun, id, field)
      const isReplaced = this.#successors.has(`${key} ${value}`) || this.#perhaps.has(`${key} ${value}`)
      return row && !isShown(row, field, value) && !isReplaced && !this.#blind.has(key)
    })
    expect(lost, 'Corrections were accepted, and are lost').toEqual([])
    // A user who does not say what they saw can bring a value back, especially by sending it again.
    const isBlind = (key: string) => this.#blind.has(key.slice(0, key.lastIndexOf(' ')))
    const unseen = this.#removedAs.filter((key) => this.#successors.has(key) && !isBlind(key))
    expect(unseen, 'Rows were removed with corrections that had not been seen').toEqual([])
    const missing = [...this.#made].filter(
      ([key, id]) => !rows.has(rowOf(key, id)) && !this.#mayBeGone(rowOf(key, id)),
    )
    expect(missing, 'Rows were created, and are not there').toEqual([])
    const references = transactions.map(({ reference }) => reference).filter((one) => one !== null)
    expect(
      references.filter((one, at) => references.indexOf(one) !== at),
      'Rows stored twice',
    ).toEqual([])
    expectOnce(recurring, transactions)
  }

  /** The id of a row that was created with a client id. */
  #idOf({ noun, client_id }: Operation): number | undefined {
    return this.#made.get(`${noun} ${client_id}`)
  }

  /** Notes the accounts to which an operation assigns a transaction. */
  #noteAccounts(id: number, { noun, set = {} }: Operation): void {
    if ((noun !== 'transaction' && noun !== 'recurring') || !('account_id' in set)) return
    const known = (account: unknown) =>
      typeof account === 'string' ? (this.#made.get(`account ${account.slice(1)}`) ?? unknown) : account
    const accounts = { account_id: known(set.account_id), to_account_id: known(set.to_account_id) }
    this.noteSeen(noun, { id, ...accounts })
  }

  #noteMade(key: string, id: number, outcome: string): void {
    const earlier = this.#made.get(key)
    if (earlier !== undefined) expect(`${outcome} ${id}`).not.toBe(`created ${earlier}`)
    if (earlier !== undefined && outcome !== 'gone') expect(id, `${key} stored twice`).toBe(earlier)
    if (outcome === 'created') this.#made.set(key, id)
  }

  #noteVersion(key: string): void {
    expect(this.#versions.has(key), `${key} was given twice`).toBe(false)
    this.#versions.add(key)
  }

  #noteUpdate(id: number, operation: Operation): void {
    const { noun } = operation
    const [set, was] = [flattened(operation.set), flattened(operation.was)]
    this.#noteBlind(id, operation)
    // What a division sets is of a rule whose id is not known.
    if (set.from) return
    for (const field of [...fields, ...Object.keys(set).filter((one) => one.startsWith(exceptionPrefix))]) {
      if (isUnique(set[field])) this.#accepted.push({ noun, id, field, value: set[field] })
      if (!isUnique(was[field]) || !(field in set) || was[field] === set[field]) continue
      if (this.#blind.has(keyOf(noun, id, field))) continue
      const key = `${keyOf(noun, id, field)} ${was[field]}`
      expect(this.#successors.get(key) ?? set[field], `Two took the place of ${key}`).toBe(set[field])
      this.#successors.set(key, set[field])
    }
  }

  #noteBlind(id: number, { noun, set: sent, was: seen }: Operation): void {
    const [set, was] = [flattened(sent), flattened(seen)]
    // Who deletes the transaction of an occurrence skips it, whatever its exception was.
    for (const [date, one] of Object.entries<Json>(seen?.exceptions ?? {}))
      if (one?.skip) this.noteBlind(noun, id, { exceptions: { [date]: null } })
    // A division drops what it sets from the exception of its first occurrence.
    if (set.from) this.noteBlind(noun, id, { exceptions: { [set.from]: null } })
    for (const field of Object.keys(set)) if (!(field in was)) this.#blind.add(keyOf(noun, id, field))
  }

  #mayBeGone(row: string): boolean {
    if (this.doomed.has(row)) return true
    if (!/^(transaction|recurring) /.test(row)) return false
    const seen = this.#seenIn.get(row)
    // If no copy has ever seen a row, its account is not known.
    if (!seen || seen.has(unknown)) return [...this.doomed].some((one) => one.startsWith('account'))
    return [...seen].some((account) => this.doomed.has(`account ${account}`))
  }
}

const rowOf = (key: string, id: number) => `${key.split(' ')[0]} ${id}`

function keysOf(id: number, { noun, was }: Operation): string[] {
  return Object.entries(flattened(was))
    .filter(([, value]) => isUnique(value))
    .map(([field, value]) => `${keyOf(noun, id, field)} ${value}`)
}

/**
 * True if a row has a value. Any exception will do that cannot be told: the occurrence is no longer the rule's, is skipped
 * since its transaction was deleted, or is long past.
 */
function isShown(row: Json, field: string, value: string): boolean {
  if (!field.startsWith(exceptionPrefix)) return row[field] === value
  const date = field.slice(exceptionPrefix.length)
  const schedule = { startsOn: row.starts_on, rule: parseRecurrenceRule(row.rrule) }
  const oldest = addDays(new Date().toISOString().slice(0, 10), -keptDays)
  if (date < oldest || !isOccurrence(schedule, date)) return true
  const { amount, skip } = row.exceptions[date] ?? {}
  return amount === value || skip === true
}

/** Expects each occurrence to be one transaction, even if the rule has been divided since. */
function expectOnce(rules: Json[], transactions: Json[]): void {
  const first = (id: number): number => {
    const earlier = rules.find(({ successor_id }) => successor_id === id)
    return earlier ? first(earlier.id) : id
  }
  const linked = transactions.filter(({ recurring_id }) => recurring_id !== null)
  const occurrences = linked.map((row) => `${first(row.recurring_id)} ${row.occurrence_date}`)
  expect(
    occurrences.filter((one, at) => occurrences.indexOf(one) !== at),
    'Occurrences stored twice',
  ).toEqual([])
}
