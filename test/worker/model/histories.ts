import * as fc from 'fast-check'
import { vi } from 'vitest'
import { findDifferences } from '../../../src/database/check.ts'
import { openWorldDatabase, verify } from '../laws/every-route.ts'
import { createWorld, openAccount } from '../world.ts'
import { accountOperations, listAccounts } from './accounts.ts'
import { type Call, type Operation, type Outcome, pastBounds, Stage, type Step } from './calls.ts'
import { categoryOperations, listCategories } from './categories.ts'
import { changeOperations } from './changes.ts'
import { importOperations, listImports } from './imports.ts'
import { listMatches, matchOperations } from './matches.ts'
import { type Exchange, explain } from './orders.ts'
import { listTokens, newcomer, peopleOperations, readProfile } from './people.ts'
import { decimal } from './shown.ts'
import { type Account, State } from './state.ts'
import { showBatch, syncOperations } from './sync.ts'
import { listTransactions, now, readSummary, transactionOperations } from './transactions.ts'

/** The most bursts in a history; the average is half of that. */
const burstsAtMost = 200
const callsAtOnce = 8
/** Every so many bursts, and at the end, the users whom they have affected look at their pages and figures. */
const burstsPerLook = 10
/** Every so many bursts, and at the end, kept figures are compared with the rows: a wrong one hardly ever turns right. */
const burstsPerCheck = 16

const reads = [listAccounts, listCategories, listImports, listMatches, listTokens, readProfile, showBatch]
const operations: Operation[] = [
  ...accountOperations,
  ...categoryOperations,
  ...transactionOperations,
  ...changeOperations,
  ...syncOperations,
  ...importOperations,
  ...matchOperations,
  ...peopleOperations,
  ...reads,
  listTransactions,
  readSummary,
]

export const kinds = operations.map(({ kind }) => kind)

/** Calls that are sent at once, and what each user affected by them looks at afterwards. */
class Burst implements fc.AsyncCommand<object, Tale> {
  readonly steps: Step[]
  readonly looks: Step[]

  constructor(steps: Step[], looks: Step[]) {
    this.steps = steps
    this.looks = looks
  }

  check(): boolean {
    return true
  }

  run(_: object, tale: Tale): Promise<void> {
    return tale.live(this.steps, this.looks)
  }

  toString(): string {
    return `[${this.steps.map(({ kind }) => kind).join(' & ')}]`
  }
}

const oneOf = (some: Operation[]) =>
  fc.oneof(...some.map(({ weight, step }) => ({ weight, arbitrary: step })))
const burst = fc
  .tuple(
    fc.array(oneOf(operations), { minLength: 1, maxLength: callsAtOnce, size: 'max' }),
    fc.tuple(readSummary.step, listTransactions.step),
  )
  .map(([steps, looks]) => new Burst(steps, looks))

const lastLooks = [...reads, readSummary, readSummary, listTransactions, listTransactions]

/** A history: what happens, and what everybody looks at at the end. */
export const history = fc.record({
  bursts: fc.commands([burst], { maxCommands: burstsAtMost, size: 'max', disableReplayLog: true }),
  lastLooks: fc.tuple(...lastLooks.map(({ step }) => step)),
})
type History = typeof history extends fc.Arbitrary<infer H> ? H : never

/** What was done, over all histories. */
export class Tally {
  histories = 0
  /** Calls of the histories; the reads that check them are counted separately. */
  calls = 0
  looks = 0
  /** Calls refused because a figure would have passed its bounds. */
  pastBounds = 0
  readonly successes = new Map<string, number>()
  readonly statuses = new Map<number, number>()

  count({ kind }: Call, { status, body }: Outcome): void {
    this.calls += 1
    if (status === 422 && JSON.stringify(body.errors).includes(pastBounds)) this.pastBounds += 1
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
    if (status < 400) this.successes.set(kind, (this.successes.get(kind) ?? 0) + 1)
  }
}

let clock = now

/**
 * Lives a history in a world of its own, where people may be so rich that bounds are met. Throws if the service
 * and the model disagree.
 */
export async function liveHistory(
  { bursts, lastLooks }: History,
  isRich: boolean,
  tally: Tally,
): Promise<void> {
  const tale = await beginTale(isRich, tally)
  tally.histories += 1
  await fc.asyncModelRun(() => ({ model: {}, real: tale }), bursts)
  await tale.end(lastLooks)
}

/** What everybody starts with; the rich start near the bounds. */
const means = ['Bank', 'Cash'].map((name) => ({ name, starting_balance: 10_000n }))
const riches = ['Bank', 'Cash', 'Card', 'Purse', 'Wallet', 'Savings', 'Shared', 'Vault'].map((name) => ({
  name,
  starting_balance: 999_999_999_999_999n,
}))

/** A world with three users, two of them verified, and its model. */
async function beginTale(isRich: boolean, tally: Tally): Promise<Tale> {
  const world = createWorld()
  let state = new State()
  const tale = new Tale(new Stage(world, state, isRich), tally)
  for (const isVerified of [true, true, false]) {
    const person = await world.register({ name: 'Somebody' })
    const { id, email, password, token } = person
    const { body } = await person.get('/api/categories')
    const categories: State['categories'] = new Map(body.map((one: { id: number }) => [one.id, one]))
    const user = { id, email, password, name: 'Somebody', timezone: 'UTC', isVerified, resetsAsked: 0 }
    state = newcomer(state, user, token, categories)
    tale.stage.issued.set(token, id)
    if (isVerified) await verify(world, person)
    for (const { name, starting_balance } of isRich ? riches : means) {
      const opening = { name, starting_balance: decimal(starting_balance) }
      const { id: account, type, notes } = await openAccount(person, opening)
      const opened: Account = { id: account, user_id: id, name, type, starting_balance, notes, version: 1 }
      state = state.after((next) => next.accounts.set(account, opened))
    }
  }
  tale.states = [state]
  return tale
}

class Tale {
  readonly stage: Stage
  readonly tally: Tally
  /** The states that the service may be in, judging by all its answers. */
  states: State[] = []
  readonly #told: string[] = []
  /** The users whom calls have affected since they last looked. */
  readonly #concerned = new Set<number>()
  #bursts = 0

  constructor(stage: Stage, tally: Tally) {
    this.stage = stage
    this.tally = tally
  }

  /** Sends calls at once; now and then, the users whom they have affected look at their pages and figures. */
  async live(steps: Step[], looks: Step[]): Promise<void> {
    const exchanges = await this.#exchange(this.#planned(steps))
    for (const { call, outcome } of exchanges) this.tally.count(call, outcome)
    const changes = exchanges.filter(({ call, outcome }) => !call.isRead && outcome.status < 400)
    for (const { call } of changes) this.#concerned.add(call.userId)
    this.#bursts += 1
    if (this.#bursts % burstsPerLook === 0) {
      for (const { id } of this.#users()) if (this.#concerned.has(id)) await this.#look(id, looks)
      this.#concerned.clear()
    }
    if (this.#bursts % burstsPerCheck === 0) await this.#checkKeptFigures()
  }

  /** Makes everybody look at everything. */
  async end(looks: Step[]): Promise<void> {
    for (const { id } of this.#users()) await this.#look(id, looks)
    await this.#checkKeptFigures()
  }

  /** Chooses what the steps refer to, from what exists now. */
  #planned(steps: Step[]): Call[] {
    this.stage.state = this.states[0] as State
    const calls: Call[] = []
    for (const step of steps) {
      const call = step.plan(this.stage)
      if (call && !calls.some((other) => areClashing(call, other))) calls.push(call)
    }
    return calls
  }

  async #look(userId: number, looks: Step[]): Promise<void> {
    this.stage.state = this.states[0] as State
    await this.#ensureToken(userId)
    const calls = looks.map((look) => look.plan(this.stage, userId)).filter((call) => call !== undefined)
    this.tally.looks += (await this.#exchange(calls)).length
  }

  /** Sends calls at once, and checks the answers against the model. */
  async #exchange(calls: Call[]): Promise<Exchange[]> {
    const sent = calls.map((call) => {
      // Nothing may happen in the same millisecond as what came before.
      clock += 1
      vi.setSystemTime(clock)
      return call.send()
    })
    const outcomes = await Promise.all(sent).catch((error: Error) => {
      this.#told.push(calls.map(({ text }) => text).join('\n  at once with '))
      return this.#fail([error.message])
    })
    const exchanges = outcomes.map((outcome, i): Exchange => ({ call: calls[i] as Call, outcome }))
    const lines = exchanges.map(({ call, outcome }) => `${call.text} → ${outcome.status}`)
    this.#told.push(lines.join('\n  at once with '))
    const problems = new Set<string>()
    this.states = explain(this.states, exchanges, problems)
    if (this.states.length === 0) this.#fail([...problems])
    for (const { call, outcome } of exchanges) this.stage.note(call, outcome)
    return exchanges
  }

  async #checkKeptFigures(): Promise<void> {
    const differences = await findDifferences(openWorldDatabase(this.stage.world))
    if (differences.length > 0) this.#fail(differences.map((one) => JSON.stringify(one)))
  }

  /** Logs in somebody without a token, so that they can look. */
  async #ensureToken(userId: number): Promise<void> {
    const { state } = this.stage
    const user = state.users.get(userId)
    if (!user || [...state.tokens.values()].includes(userId)) return
    const { email, password } = user
    const { body } = await this.stage.call('POST', '/api/login', {
      body: { email, password },
      headers: { 'CF-Connecting-IP': crypto.randomUUID() },
    })
    this.states = this.states.map((one) => one.after((next) => next.tokens.set(body.access_token, userId)))
    this.stage.state = this.states[0] as State
  }

  #users() {
    return [...(this.states[0] as State).users.values()]
  }

  #fail(problems: string[]): never {
    throw new Error(
      `${problems.slice(0, 12).join('\n')}\n\nWhat was done, the last at the end:\n${this.#told.join('\n')}`,
    )
  }
}

function areClashing(call: Call, other: Call): boolean {
  return Boolean(call.clashes?.includes(other.kind) || other.clashes?.includes(call.kind))
}
