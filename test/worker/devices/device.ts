import { expect } from 'vitest'
import type { Dice } from '../../dice.ts'
import { FeedCopy } from '../fixtures/feed-copy.ts'
import type { ApiResponse, CallOptions, Json } from '../fixtures/responses.ts'
import type { Ledger, Noun, Operation, Result } from './ledger.ts'
import type { Network, Outcome } from './network.ts'

/** An upload without a response yet. Only the test knows what it has done. */
type Sent = { operations: Operation[]; results?: Result[]; isUnsure?: boolean }
type Shown = { name: { id?: number; client_id?: string }; row: Json }

/** One of a user's devices, with a copy (test/worker/fixtures/feed-copy.ts) and operations waiting to be sent. */
export class Device<Place extends Network = Network> {
  readonly name: string
  readonly stage: Place
  readonly userId: number
  ledger: Ledger
  copy: FeedCopy
  /** Operations waiting to be sent, by the row that they are about: each row once. */
  waiting = new Map<string, Operation>()
  sent: Sent | undefined
  /** The cursors that it has had since it last started over. */
  cursors: string[] = []
  /** Imports that it knows of. */
  imports: number[] = []
  readonly #token: string
  #versions = new Map<string, number>()
  #gone = new Set<string>()

  constructor(stage: Place, name: string, person: { id: number; token: string }, ledger: Ledger) {
    this.stage = stage
    this.name = name
    this.userId = person.id
    this.#token = person.token
    this.ledger = ledger
    this.copy = new FeedCopy(this.reader)
  }

  /** Reads over a reliable network. */
  get reader() {
    return { get: (path: string) => this.stage.call('GET', path, { token: this.#token }) }
  }

  /** Sends a request over a network on which some get lost; undefined if the device gets no response. */
  send(
    dice: Dice,
    method: string,
    path: string,
    options: CallOptions = {},
    executed: (outcome: Outcome) => void = () => undefined,
  ): Promise<ApiResponse | undefined> {
    return this.stage.send(
      this.name,
      dice,
      { method, path, options: { ...options, token: this.#token } },
      executed,
    )
  }

  /** One of the rows that the device shows: its copy and what is waiting. Rows in an upload without a response are left out. */
  shown(noun: Noun, dice: Dice): Shown | undefined {
    const unanswered = new Set(this.sent?.operations.map((one) => this.#keyOf(one)))
    const shown = [...this.#rowsOf(noun).values()].flatMap((row): Shown[] => {
      const waiting = this.waiting.get(`${noun} ${row.id}`)
      if (waiting?.op === 'delete' || waiting?.set?.from || unanswered.has(`${noun} ${row.id}`)) return []
      const { id, client_id } = row
      const name = client_id !== null && dice.isOnceIn(3) ? { client_id } : { id }
      return [{ name, row: merged(row, waiting?.set) }]
    })
    for (const { op, noun: of, client_id, set } of this.waiting.values())
      if (op === 'create' && of === noun) shown.push({ name: { client_id: client_id as string }, row: set })
    return dice.of(shown)
  }

  /** Keeps an operation until it is sent, merged with what is already waiting for the same row. */
  keep(operation: Operation): void {
    const key = this.#keyOf(operation)
    const earlier = this.waiting.get(key)
    const { op, set, was } = operation
    // Neither is anything done to a rule that is to be divided.
    if (earlier?.op === 'delete' || earlier?.set?.from || (earlier && set?.from)) return
    if (earlier?.op === 'create') {
      if (op === 'delete') this.waiting.delete(key)
      else this.waiting.set(key, { ...earlier, set: merged(earlier.set, set) })
      return
    }
    const known = was && earlier ? earlier.was && merged(was, earlier.was) : was
    const { was: _, ...rest } = operation
    this.waiting.set(key, {
      ...rest,
      ...(op === 'update' && { set: merged(earlier?.set, set) }),
      ...(known && { was: known }),
    })
  }

  /** Uploads what is waiting, or what got no response again, and applies the changes in the response; then pulls the rest. */
  async sync(dice: Dice): Promise<void> {
    const isDone = await this.push(dice, true)
    if (isDone && !this.copy.isWhole) await this.pull(dice, dice.of([20, 100, 500, 1_000]) as number)
  }

  /** Uploads; true if there was a response, or nothing to upload. */
  async push(dice: Dice, wantsChanges: boolean): Promise<boolean> {
    this.sent ??= this.#nextUpload(dice)
    const { sent, copy } = this
    if (!sent) {
      if (wantsChanges) this.copy.isWhole = false
      return true
    }
    const sendsCursor = wantsChanges && copy.cursor !== undefined
    const body = { ops: sent.operations, ...(sendsCursor && { cursor: copy.cursor }) }
    const response = await this.send(dice, 'POST', '/api/changes', { body }, (response) =>
      this.#note(sent, response),
    )
    if (!response) return false
    if (response.status === 410) {
      this.#beginAnew()
      return true
    }
    this.sent = undefined
    if (sendsCursor) this.#take(response.body)
    else copy.isWhole = false
    if (sendsCursor && copy.isWhole) this.#expectDone(sent.operations, response.body.results)
    for (const result of response.body.results)
      this.#settle(dice, sent.operations[result.index] as Operation, result)
    return true
  }

  /** Pulls up to a number of pages. */
  async pull(dice: Dice, limit: number, pages = 1_000): Promise<void> {
    for (let page = 1; page <= pages; page++) {
      const response = await this.send(dice, 'GET', this.copy.pathOfNext(limit))
      if (!response) return
      if (response.status === 410) this.#beginAnew()
      else {
        expect(response.body.changes.length).toBeLessThanOrEqual(limit)
        this.#take(response.body)
      }
      if (this.copy.isWhole) return
    }
  }

  /** Sends and pulls until nothing is left to send or to pull. */
  async finish(dice: Dice): Promise<void> {
    do await this.push(dice, true)
    while (this.sent || this.waiting.size > 0)
    await this.catchUp(dice)
  }

  /** Pulls until there is no more. */
  async catchUp(dice: Dice): Promise<void> {
    this.copy.isWhole = false
    while (!this.copy.isWhole) await this.pull(dice, 1_000)
  }

  /** Loses its copy, and perhaps what is waiting. */
  startAnew(isEmptied: boolean): void {
    this.copy = new FeedCopy(this.reader)
    this.cursors = []
    if (isEmptied) {
      this.waiting.clear()
      this.sent = undefined
    }
  }

  /** Forgets what may be different in a restored database. */
  distrust(ledger: Ledger): void {
    this.ledger = ledger
    this.#versions = new Map()
    this.#gone = new Set()
    if (this.sent) this.sent = { operations: this.sent.operations, isUnsure: true }
  }

  /** The id of the row that an operation is about, as far as the copy knows it. */
  idOf({ noun, id, client_id }: Operation): number | undefined {
    if (noun === 'profile') return this.userId
    return id ?? [...this.#rowsOf(noun).values()].find((row) => row.client_id === client_id)?.id
  }

  #rowsOf(noun: Noun): Map<number, Json> {
    const { accounts, categories, recurring, transactions, profile } = this.copy
    return {
      profile: new Map([[this.userId, profile]]),
      account: accounts,
      category: categories,
      recurring,
      transaction: transactions,
    }[noun]
  }

  #keyOf(operation: Operation): string {
    const id = this.idOf(operation)
    return id === undefined ? `${operation.noun} #${operation.client_id}` : `${operation.noun} ${id}`
  }

  /** What is waiting, in any order; sometimes only part of it. */
  #nextUpload(dice: Dice): Sent | undefined {
    const some = [...this.waiting].slice(0, dice.isOnceIn(4) ? dice.from(1, 9) : 500)
    for (const [key] of some) this.waiting.delete(key)
    const operations = some.map(([, operation]) => ({ operation, rank: dice.from(1, 1_000) }))
    if (operations.length === 0) return undefined
    return { operations: operations.sort((a, b) => a.rank - b.rank).map(({ operation }) => operation) }
  }

  #beginAnew(): void {
    this.stage.tally.count('begun anew')
    this.copy.beginAnew()
    this.cursors = []
  }

  #take(page: Json): void {
    for (const { noun, id, data } of page.changes) {
      const key = `${noun} ${id}`
      if ((noun === 'transaction' || noun === 'recurring') && data) this.ledger.noteSeen(noun, data)
      if (!data) this.#gone.add(key)
      else if (noun !== 'profile') {
        expect(this.#gone.has(key), `${key} comes back`).toBe(false)
        expect(data.version, `the version of ${key}`).toBeGreaterThanOrEqual(this.#versions.get(key) ?? 1)
        this.#versions.set(key, data.version)
      }
    }
    this.copy.take(page)
    this.cursors.push(page.cursor)
    if (this.copy.isWhole) this.stage.tally.count('whole copies')
  }

  /** Notes what an upload has done, whether or not the device learns of it. */
  #note(sent: Sent, { status, body }: Outcome): void {
    if (status === 503) {
      sent.isUnsure = true
      this.ledger.noteUnknown(sent.operations, (one) => this.idOf(one))
    }
    if (status !== 200) return
    const results: Result[] = body.results
    expect(results.map(({ index }) => index)).toEqual(sent.operations.map((_, index) => index))
    for (const result of results) {
      this.stage.tally.count(result.outcome)
      expectPossible(sent, result)
    }
    this.ledger.note(sent.operations, results)
    sent.results ??= results
  }

  /** What a person does about an operation that was not done. */
  #settle(dice: Dice, operation: Operation, { outcome, id, fields, data }: Result): void {
    if (outcome !== 'conflict' || !data || dice.isOnceIn(2)) return
    // A new value: one that was there before could not be told from the one that is meant.
    const set = operation.set && this.#anew(operation.set)
    const was = seenOf(data, operation.set ?? operation.was)
    expect(fields?.length).toBeGreaterThan(0)
    const again = {
      op: operation.op,
      noun: operation.noun,
      ...(operation.noun !== 'profile' && { id: id as number }),
      ...(set && { set }),
      was,
    }
    if (!this.waiting.has(this.#keyOf(again))) this.keep(again)
  }

  /** What is set, with different values for those that have to be unique. */
  #anew(set: Json): Json {
    const entries = Object.entries<Json>(set).map(([field, value]) => [
      field,
      field === 'exceptions'
        ? Object.fromEntries(Object.entries<Json>(value).map(([date, one]) => [date, one && this.#anew(one)]))
        : this.stage.anew(field, value),
    ])
    return Object.fromEntries(entries)
  }

  /** Expects the copy to show what an upload has just done. */
  #expectDone(operations: Operation[], results: Result[]): void {
    // What goes with an account or a category is not reported row by row.
    if (operations.some(({ op, noun }) => op === 'delete' && (noun === 'account' || noun === 'category')))
      return
    const deletes = (of: Noun) => operations.some(({ op, noun }) => op === 'delete' && noun === of)
    // The links of transactions go with a rule, or over to the one that continues it.
    const changesLinks = deletes('recurring') || operations.some(({ set }) => set?.from)
    const changesRules = changesLinks || deletes('transaction')
    // An occurrence that is recorded again may be deleted by the same upload.
    const deleted = new Set(results.filter((one) => one.outcome === 'deleted').map((one) => one.id))
    // A new category whose name exists is that one.
    const same = new Map(results.map(({ index, id }) => [`#${operations[index]?.client_id}`, id]))
    for (const { index, outcome, id, version, uncategorised, data } of results) {
      const { noun, set } = operations[index] as Operation
      if (id === undefined || outcome === 'invalid') continue
      if (outcome === 'duplicate' && deleted.has(id)) continue
      if ((noun === 'recurring' && changesRules) || (noun === 'transaction' && changesLinks)) continue
      const row = this.#rowsOf(noun).get(id)
      const told = `${noun} ${id} after an upload that responded with ${outcome}`
      if (outcome === 'deleted' || outcome === 'gone') expect(row, told).toBeUndefined()
      else if (data) expect(row, told).toMatchObject(data)
      else
        expect(row, told).toMatchObject({
          ...this.#resolved(set, same),
          ...(uncategorised && { category_id: null }),
          ...(noun !== 'profile' && { version }),
        })
    }
  }

  /** Fields with ids in place of client ids. `same` has those of the upload itself. */
  #resolved({ exceptions: _, recurring_id: __, ...set }: Json, same: Map<string, number | undefined>): Json {
    const { accounts, categories } = this.copy
    return Object.fromEntries(
      Object.entries<Json>(set).map(([field, value]) => {
        if (typeof value !== 'string' || !value.startsWith('#')) return [field, value]
        const rows = field === 'category_id' ? categories : accounts
        const row = [...rows.values()].find(({ client_id }) => client_id === value.slice(1))
        return [field, row?.id ?? same.get(value)]
      }),
    )
  }
}

/** The values of a row that an operation sets, or said it had seen: of exceptions, those of the same dates. */
export function seenOf(row: Json, named: Json): Json {
  const seen = Object.keys(named).filter((field) => field in row)
  const exceptionOf = (date: string) => [date, row.exceptions?.[date] ?? null]
  return Object.fromEntries(
    seen.map((field) => [
      field,
      field === 'exceptions'
        ? Object.fromEntries(Object.keys(named.exceptions).map(exceptionOf))
        : row[field],
    ]),
  )
}

/** What is set together with what is set later, exceptions by date. */
function merged(earlier: Json = {}, later: Json = {}): Json {
  const exceptions = { ...earlier.exceptions, ...later.exceptions }
  return { ...earlier, ...later, ...((earlier.exceptions || later.exceptions) && { exceptions }) }
}

const outcomes = {
  create: ['created', 'duplicate', 'gone', 'invalid'],
  // A division may have been done by another device.
  update: ['updated', 'unchanged', 'conflict', 'gone', 'invalid', 'duplicate'],
  delete: ['deleted', 'conflict', 'gone'],
}

/** Expects an outcome that this operation can have, given what is known about earlier attempts. */
function expectPossible(
  { operations, results, isUnsure }: Sent,
  { index, outcome, fields, errors, data }: Result,
): void {
  const { op, set = {}, was = {}, noun, client_id } = operations[index] as Operation
  const told = `${op} ${noun} ${client_id ?? ''} ${JSON.stringify(set)}`
  expect(outcomes[op], told).toContain(outcome)
  const earlier = results?.[index]?.outcome
  // Another device, or the job, may have recorded the occurrence, or created a category of this name.
  const isShared = set.from || set.recurring_id || (noun === 'category' && data?.client_id !== client_id)
  if (!results && !isUnsure && !isShared) expect(outcome, `${told}, sent once`).not.toBe('duplicate')
  if (earlier === 'created') expect(['duplicate', 'gone'], `${told}, sent again`).toContain(outcome)
  if (earlier === 'deleted') expect(outcome, `${told}, sent again`).toBe('gone')
  // A category that has been deleted since makes what names it invalid.
  const isGuarded = Object.keys(set).every((field) => field in was && field !== 'category_id')
  if (earlier === 'updated' && isGuarded && ('amount' in set || 'description' in set))
    expect(
      noun === 'recurring' ? outcomes.update.slice(1) : ['unchanged', 'conflict', 'gone'],
      `${told}, sent again`,
    ).toContain(outcome)
  if (outcome === 'invalid') expect(Object.keys(errors), told).not.toEqual([])
  if (outcome !== 'conflict') return
  for (const field of fields as string[]) {
    if (field === 'type' || field.endsWith('account_id')) continue
    if (field.startsWith('exceptions.')) {
      expect(was.exceptions, told).toHaveProperty(field.slice('exceptions.'.length))
      continue
    }
    expect(field in was, `${told} conflicts in ${field}, of which it said nothing`).toBe(true)
    expect(data?.[field], told).not.toEqual(was[field])
    if (op === 'update') expect(data?.[field], told).not.toEqual(set[field])
  }
}
