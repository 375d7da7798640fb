import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { findDifferences } from '../../../src/db/check.ts'
import { type Answer, createWorld, type Json, type Person, type World } from '../world.ts'
import { openWorldDatabase, verify } from './every-route.ts'
import { type Fields, type Item, type Kind, Ledger, type Row } from './ledger-model.ts'
import { type Draw, type DrawnItem, history, type Step } from './random-steps.ts'

/** Ten histories of a hundred steps: about a thousand operations. */
const runs = 10
const steps = 100
const stepsBetweenChecks = 20
/** How long fast-check may look for a shorter history that fails as well. */
const shrinkingMs = 20_000

const months = ['2025-12', '2026-01', '2026-02']
const nobodys = 999_999

test(
  'after any history, every figure and every page is what a plain sum over the rows says',
  async () => {
    const property = fc.asyncProperty(history(steps), async (history) => {
      const tale = await createTale()
      for (const [index, step] of history.entries()) {
        await tale.live(step)
        if ((index + 1) % stepsBetweenChecks === 0) await tale.check()
      }
      await tale.live({ do: 'deliver', isTwice: true })
      await tale.check()
    })
    await fc.assert(property, { numRuns: runs, interruptAfterTimeLimit: shrinkingMs })
  },
  3 * shrinkingMs,
)

/** One call, decided from the model before it is made. */
type Plan = { send: () => Promise<Answer>; status: number; apply: (answer: Answer) => void; target?: string }

type Actor = { person: Person; ledger: Ledger }

async function createTale() {
  const world = createWorld()
  const actors = [await createActor(world), await createActor(world)] as const
  let categories = 0

  /** Does one step through the front door, and the same to the model. */
  async function live(step: Step): Promise<void> {
    if (step.do === 'nothing') return
    if (step.do === 'deliver') return deliver(step.isTwice)
    if (step.do === 'together') return liveTogether(step.steps)
    const planned = plan(step)
    if (step.do === 'sync' && planned.status === 200) await deliver(false, actors[step.who])
    const answer = await planned.send()
    expect([answer.status, answer.text]).toEqual([planned.status, answer.text])
    if (answer.status < 300) planned.apply(answer)
  }

  /** Sends calls at once. Which came first, the answers tell: what is gone can be neither used nor changed. */
  async function liveTogether(together: Step[]): Promise<void> {
    const plans = together.map((step) => ({ step, ...plan(step) }))
    const once = plans.filter(({ target }, i) => !target || plans.findIndex((p) => p.target === target) === i)
    const answers = await Promise.all(once.map(({ send }) => send()))
    const removes = ({ step }: { step: Step }) =>
      step.do === 'remove' || step.do === 'closeAccount' || step.do === 'dropCategory'
    const isCalm = !once.some(removes)
    const done = once.map((planned, i) => ({ ...planned, answer: answers[i] as Answer }))
    for (const { status, answer } of done) {
      expect(isCalm ? [status] : [status, 403, 404, 422]).toContain(answer.status)
    }
    for (const { answer, apply } of [...done].sort((a, b) => Number(removes(a)) - Number(removes(b)))) {
      if (answer.status < 300) apply(answer)
    }
  }

  function plan(step: Step): Plan {
    const { person, ledger } = actors['who' in step ? step.who : 0]
    const other = actors['who' in step && step.who === 0 ? 1 : 0].ledger
    /** The id that a draw means, among the user's own or the other one's. */
    const pick = (kind: 'accounts' | 'categories' | 'rows', draw: Draw): number => {
      const ids = [...(draw.isForeign ? other : ledger)[kind].keys()].sort((a, b) => a - b)
      return ids[draw.nth % ids.length] ?? nobodys
    }
    const pickOrNull = (kind: 'accounts' | 'categories', draw: Draw | null) => draw && pick(kind, draw)
    /** The transaction that a draw means. */
    const draft = ({ account, to, category, repeats, ...rest }: DrawnItem): Item => {
      const twin = repeats && ledger.rows.get(pick('rows', repeats))
      if (twin) return { ...fieldsOf(twin), client_id: null, reference: rest.reference, force: rest.force }
      return {
        ...rest,
        account_id: pick('accounts', account),
        to_account_id: pickOrNull('accounts', to),
        category_id: pickOrNull('categories', category),
      }
    }
    /** How a path ends that names this id. */
    const found = (kind: 'accounts' | 'categories' | 'rows', id: number, status: number) =>
      ledger[kind].has(id) ? status : other[kind].has(id) ? 403 : 404

    switch (step.do) {
      case 'openAccount':
        return {
          send: () =>
            person.post('/api/accounts', { name: 'A', type: 'bank', starting_balance: step.cents / 100 }),
          status: 201,
          apply: ({ body }) => ledger.accounts.set(body.id, step.cents),
        }
      case 'changeAccount': {
        const id = pick('accounts', step.account)
        return {
          send: () => person.put(`/api/accounts/${id}`, { starting_balance: text(step.cents) }),
          status: found('accounts', id, 200),
          apply: () => ledger.accounts.set(id, step.cents),
          target: `account ${id}`,
        }
      }
      case 'closeAccount': {
        const id = pick('accounts', step.account)
        return {
          send: () => person.delete(`/api/accounts/${id}`),
          status: found('accounts', id, 204),
          apply: () => ledger.closeAccount(id),
        }
      }
      case 'addCategory': {
        categories += 1
        const name = `Category ${categories}`
        return {
          send: () => person.post('/api/categories', { name, type: step.type }),
          status: 201,
          apply: ({ body }) => ledger.categories.set(body.id, name),
        }
      }
      case 'dropCategory': {
        const id = pick('categories', step.category)
        return {
          send: () => person.delete(`/api/categories/${id}`),
          status: found('categories', id, 204),
          apply: () => ledger.dropCategory(id),
        }
      }
      case 'create': {
        const item = draft(step.item)
        return {
          send: () => person.post('/api/transactions', asSent(item)),
          status: createStatus(ledger, item),
          apply: ({ status, body }) => {
            if (status === 200) expect(body.id).toBe(ledger.withClientId(item.client_id)?.id)
            else ledger.add({ ...fieldsOf(item), id: body.id, is_synced: false })
          },
        }
      }
      case 'change': {
        const id = pick('rows', step.row)
        const { to, account, category, amount, ...rest } = step.patch
        const patch = defined({
          ...rest,
          amount,
          account_id: account && pick('accounts', account),
          to_account_id: to === undefined ? undefined : pickOrNull('accounts', to),
          category_id: category === undefined ? undefined : pickOrNull('categories', category),
        })
        const row = ledger.rows.get(id)
        const next = row && changed(row, patch)
        return {
          send: () => person.put(`/api/transactions/${id}`, asSent(patch)),
          status: found('rows', id, next && ledger.keepsRules(next) ? 200 : 422),
          apply: () => ledger.rows.set(id, changed(ledger.rows.get(id) as Row, patch)),
          target: `transaction ${id}`,
        }
      }
      case 'remove': {
        const id = pick('rows', step.row)
        return {
          send: () => person.delete(`/api/transactions/${id}`),
          status: found('rows', id, 204),
          apply: () => ledger.remove(id),
        }
      }
      case 'sync': {
        const items = step.items.map((item) => draft({ ...item, reference: null }))
        const isGood = items.every((item) => ledger.keepsRules(item) && !ledger.isSpent(item))
        return {
          send: () => person.post('/api/transactions/sync', { transactions: items.map(asSent) }),
          status: isGood ? 200 : 422,
          apply: ({ body }) => {
            ledger.waiting = { id: body.sync_id, items }
          },
        }
      }
      default:
        throw new Error(`${step.do} is not a single call`)
    }
  }

  /** Lets the consumer have all that is queued, or only make room for one user's next batch. */
  async function deliver(isTwice: boolean, only?: Actor): Promise<void> {
    if (only && !only.ledger.waiting) return
    const messages = world.queuedSyncs.splice(0)
    const sent = isTwice ? [...messages, ...messages] : messages
    const { retryMessages } = await world.deliver(sent, 'purse-sync')
    expect(retryMessages).toEqual([])
    for (const { person, ledger } of actors) {
      const { waiting } = ledger
      if (!waiting) continue
      const { body } = await person.get(`/api/transactions/sync/${waiting.id}`)
      expect(body.status).toBe('completed')
      expect(body.items.map(({ outcome }: Json) => outcome)).toEqual(ledger.outcomes())
      for (const { index, outcome, transaction_id } of body.items as Json[]) {
        const item = waiting.items[index] as Item
        if (outcome === 'created') ledger.add({ ...fieldsOf(item), id: transaction_id, is_synced: true })
      }
      ledger.waiting = null
    }
  }

  /** Compares all that both users see with the model, and the kept figures with the rows. */
  async function check(): Promise<void> {
    await Promise.all(actors.map(checkActor))
    expect(await findDifferences(openWorldDatabase(world))).toEqual([])
  }

  return { live, check }
}

async function checkActor({ person, ledger }: Actor): Promise<void> {
  const accounts: Json[] = (await person.get('/api/accounts')).body
  expect(accounts.map(shownFigures)).toEqual(ledger.shownAccounts())
  for (const month of months) {
    const { body } = await person.get(`/api/summary?month=${month}`)
    const summary = { ...body, accounts: body.accounts.map(shownFigures) }
    expect(summary).toEqual(ledger.shownSummary(month))
  }
  const expected = ledger.shownRows()
  const pages: Json[] = []
  for (let page = 1; page <= Math.max(1, Math.ceil(expected.length / 50)); page++) {
    const { body } = await person.get(`/api/transactions?page=${page}`)
    expect(body.total).toBe(expected.length)
    pages.push(...body.data)
  }
  expect(pages.map((row, i) => pickKeys(row, Object.keys(expected[i] ?? {})))).toEqual(expected)
}

async function createActor(world: World): Promise<Actor> {
  const person = await world.register()
  await verify(world, person)
  const ledger = new Ledger()
  for (const { id, name } of (await person.get('/api/categories')).body) ledger.categories.set(id, name)
  return { person, ledger }
}

/** The status of a create, by the order of checks. */
function createStatus(ledger: Ledger, item: Item): number {
  if (ledger.withClientId(item.client_id)) return 200
  if (ledger.accounts.size === 0) return 403
  const isComplete = item.type === 'transfer' || item.category_id !== null
  if (!ledger.keepsRules(item) || !isComplete || ledger.isSpent(item)) return 422
  return !item.force && ledger.isDuplicate(item) ? 409 : 201
}

/** The row as an update leaves it: leaving the type transfer drops the destination. */
function changed(row: Row, patch: Partial<Fields>): Row {
  const leavesTransfer = patch.type !== undefined && patch.type !== 'transfer'
  return { ...row, ...(leavesTransfer && { to_account_id: null }), ...patch }
}

/** Amounts travel as decimal strings. */
function asSent<T extends { amount?: number | undefined; type?: Kind | undefined }>(fields: T) {
  return fields.amount === undefined ? fields : { ...fields, amount: text(fields.amount) }
}

function fieldsOf(from: Fields): Fields {
  const { type, account_id, to_account_id, category_id, amount, transaction_date, reference, client_id } =
    from
  return { type, account_id, to_account_id, category_id, amount, transaction_date, reference, client_id }
}

function shownFigures({ id, starting_balance, balance }: Json) {
  return { id, starting_balance, balance }
}

function text(cents: number): string {
  return (cents / 100).toFixed(2)
}

function pickKeys(row: Json, keys: string[]): Json {
  return Object.fromEntries(keys.map((key) => [key, row[key]]))
}

function defined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T
}
