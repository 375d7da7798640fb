import * as fc from 'fast-check'
import { vi } from 'vitest'
import { findDifferences } from '../../../src/database/check.ts'
import { Dice } from '../../dice.ts'
import { createWorld, openAccount, type Person, type World } from '../fixtures/world.ts'
import { openWorldDatabase, verify } from '../laws/every-route.ts'
import { accountOperations, listAccounts } from './accounts.ts'
import { batchOperations, showBatch } from './batches.ts'
import { type Call, type Operation, pastBounds } from './calls.ts'
import { checkOperations, listChecks } from './checks.ts'
import { type Exchange, explain } from './orders.ts'
import { decimal } from './shown.ts'
import { type Account, type Category, State } from './state.ts'
import { listTransactions, now, transactionOperations } from './transactions.ts'

/** The most bursts in a history; the average is half of that. */
const burstsAtMost = 200
const callsAtOnce = 6
/** After so many bursts, and at the end, every user reads everything, and kept figures are compared with the rows. */
const burstsPerCheck = 10

const reads = [listAccounts, listTransactions, listChecks, showBatch]
export const operations = [
  ...accountOperations,
  ...transactionOperations,
  ...batchOperations,
  ...checkOperations,
  ...reads,
]

type Step = { operation: Operation; who: number; salt: number }
const step: fc.Arbitrary<Step> = fc.record({
  operation: fc.oneof(...operations.map((one) => ({ weight: one.weight, arbitrary: fc.constant(one) }))),
  who: fc.nat(1),
  salt: fc.noShrink(fc.noBias(fc.integer({ min: 1, max: 2 ** 31 - 2 }))),
})
const burst = fc.array(step, { minLength: 1, maxLength: callsAtOnce, size: 'max' })

/** What two users do: bursts of concurrent calls. What they refer to is chosen from what exists by then. */
export const history = fc.array(burst, { minLength: 1, maxLength: burstsAtMost, size: 'max' })

/** What was done, over all histories. */
export class Tally {
  histories = 0
  calls = 0
  /** Calls refused because a figure would have passed its bounds. */
  pastBounds = 0
  /** Calls refused for a reconciled period. */
  reconciled = 0
  readonly successes = new Map<string, number>()
  readonly statuses = new Map<number, number>()

  count({ operation }: Step, { response: { status, body } }: Exchange): void {
    this.calls += 1
    if (status === 422 && JSON.stringify(body).includes(pastBounds)) this.pastBounds += 1
    if (body?.code === 'reconciled') this.reconciled += 1
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
    if (status < 400) this.successes.set(operation.name, (this.successes.get(operation.name) ?? 0) + 1)
  }
}

/** Plays a history in a world of its own. Throws if the service and the model disagree. */
export async function playHistory(bursts: Step[][], isRich: boolean, tally: Tally): Promise<void> {
  const play = new Play(createWorld(), isRich)
  await play.begin()
  tally.histories += 1
  for (const [nth, steps] of bursts.entries()) {
    const exchanges = await play.burst(steps)
    for (const [step, exchange] of exchanges) tally.count(step, exchange)
    if (nth % burstsPerCheck === burstsPerCheck - 1) await play.check(steps[0]?.salt ?? 1)
  }
  await play.check(1)
}

let clock = now

class Play {
  readonly #world: World
  readonly #isRich: boolean
  readonly #people: Person[] = []
  /** The states that the service may be in, judging by all its responses. */
  #states = [new State()]
  readonly #log: string[] = []

  constructor(world: World, isRich: boolean) {
    this.#world = world
    this.#isRich = isRich
  }

  /** Two users with a few accounts; the rich start near the bounds. */
  async begin(): Promise<void> {
    const state = new State()
    for (const name of ['Ada', 'Ben']) {
      const person = await this.#world.register({ name })
      await verify(this.#world, person)
      this.#people.push(person)
      const { body } = await person.get('/api/categories')
      for (const one of body.slice(0, 4) as Category[]) state.categories.set(one.id, one)
      for (let nth = 0; nth < (this.#isRich ? 8 : 2); nth++) {
        const starting_balance = this.#isRich ? 999_999_999_999_999n : 10_000n
        const opened = await openAccount(person, { starting_balance: decimal(starting_balance) })
        const { id, name, type, notes } = opened
        const account: Account = {
          ...{ id, user_id: person.id, name, type, starting_balance, notes },
          ...{ reconciled_through: null, version: 1 },
        }
        state.accounts.set(id, account)
      }
    }
    this.#states = [state]
  }

  /** Makes concurrent calls, and compares the responses with the model. */
  async burst(steps: Step[]): Promise<[Step, Exchange][]> {
    const planned = steps.flatMap((step): [Step, Call][] => {
      const call = this.#plan(step)
      return call ? [[step, call]] : []
    })
    const exchanges = await this.#exchange(planned.map(([, call]) => call))
    return planned.map(([step], nth) => [step, exchanges[nth] as Exchange])
  }

  /** Makes every user read everything, and compares kept figures with the rows. */
  async check(salt: number): Promise<void> {
    for (const who of this.#people.keys())
      await this.burst(reads.map((operation) => ({ operation, who, salt })))
    const differences = await findDifferences(openWorldDatabase(this.#world))
    if (differences.length > 0) this.#fail(differences.map((one) => JSON.stringify(one)))
  }

  #plan({ operation, who, salt }: Step): Call | undefined {
    return operation.plan({
      world: this.#world,
      person: this.#people[who] as Person,
      state: this.#states[0] as State,
      dice: new Dice(salt),
      isRich: this.#isRich,
    })
  }

  async #exchange(calls: Call[]): Promise<Exchange[]> {
    const sent = calls.map((call) => {
      // No two calls at the same millisecond.
      clock += 1
      vi.setSystemTime(clock)
      return call.send()
    })
    const responses = await Promise.all(sent).catch((error: Error) => {
      this.#log.push(calls.map(({ text }) => text).join('\n  with '))
      return this.#fail([error.message])
    })
    const exchanges = responses.map((response, nth): Exchange => ({ call: calls[nth] as Call, response }))
    this.#log.push(
      exchanges.map(({ call, response }) => `${call.text} → ${response.status}`).join('\n  with '),
    )
    const problems = new Set<string>()
    this.#states = explain(this.#states, exchanges, problems)
    if (this.#states.length === 0) this.#fail([...problems])
    return exchanges
  }

  #fail(problems: string[]): never {
    throw new Error(
      `${problems.slice(0, 12).join('\n')}\n\nCalls, the last at the end:\n${this.#log.join('\n')}`,
    )
  }
}
