import { sql } from 'drizzle-orm'
import { unsubscribeLink } from '../../../src/identity/links.ts'
import {
  aCategory,
  changeAddress,
  createWorld,
  logIn,
  openAccount,
  type Person,
  providerCallback,
  queuedMail,
  recordTransaction,
  signInThroughProvider,
  type World,
} from '../fixtures/world.ts'
import { askDatabase, verify } from '../laws/every-route.ts'
import type { Draft } from './requests.ts'
import { rowsOf } from './rows.ts'
import type { Known } from './written.ts'

/** Appears in every text that the bystander owns, and in nothing that is ever sent. */
export const marker = 'kept-by-the-bystander'
const markedAmount = '7654321.09'
/** Ids of each kind that are remembered. */
const remembered = 20
const mailsDelivered = 50

type Ids = Record<string, (string | number)[]>
export type Target = Awaited<ReturnType<typeof createTarget>>

/** A world with a user who attacks it, and a bystander whose data no other user may see or change. */
export async function createTarget(name: string) {
  const world = createWorld()
  const bystander = await createBystander(world)
  const rows = () => rowsOf(world, bystander.id)
  const before = await rows()
  const foreign = await idsOf(world, bystander.id)
  let addresses = 0
  const newAddress = () => `${name}.${addresses++}@example.com`
  let attacker = await createAttacker(world, newAddress())
  let own: Ids = {}
  let callback = new URLSearchParams()
  /** The link of the next request, if it is one that only an email has. */
  let link = new URL('http://none/')

  /** Makes sure that the attacker is signed in and owns one of each kind, and notes what exists. */
  async function provide(): Promise<void> {
    own = await idsOf(world, attacker.id)
    const lacking = (what: string, count: number) => (own[what]?.length ?? 0) < count
    if (lacking('account', 2)) {
      await openAccount(attacker)
      await openAccount(attacker)
      own = await idsOf(world, attacker.id)
    }
    if (lacking('category', 1)) await attacker.post('/api/categories', { name: 'Kept', type: 'expense' })
    if (lacking('transaction', 1)) await recordTransaction(attacker, expense(own))
    if (lacking('balance_check', 1))
      await attacker.post('/api/balance-checks', balanceCheck(own.account?.[0]))
    if (lacking('recurring', 1)) await attacker.post('/api/recurring', monthly(own))
    if (lacking('session', 2)) await signIn(world, attacker)
    if (lacking('import', 1)) await attacker.post('/api/import/store', { transactions: [expense(own)] })
    if (lacking('layout', 1))
      await world.call('POST', `/api/import/bank/store?account_id=${own.account?.[0]}&signs=inverted`, {
        token: attacker.token,
        rawBody: 'Date,Amount\n2026-11-19,3.20\n',
        headers: { 'Content-Type': 'text/csv' },
      })
    if (lacking('sync', 1)) await attacker.post('/api/transactions/sync', { transactions: [expense(own)] })
    own = await idsOf(world, attacker.id)
    own.joined = own.transaction ?? []
  }

  /** If a request needs it, gets what only a mail or the provider can give. */
  async function prepare({ operation }: Draft): Promise<void> {
    if (operation.id === 'completeProviderSignIn') {
      callback = new URL(await providerCallback(world, newAddress()), 'http://purse.test').searchParams
    }
    if (operation.path.includes('/{hash}') || operation.path.includes('/{signature}'))
      link = new URL((await linkTo(operation.id)) ?? '')
    if (operation.id.includes('Match') || operation.id === 'takeRejectionBack')
      await preparePair(operation.id)
    if (operation.id === 'resetPassword')
      await attacker.post('/api/forgot-password', { email: attacker.email })
  }

  /** The link of an email that leads to an operation. All but those of the attacker are for users of their own. */
  async function linkTo(operationId: string): Promise<string | undefined> {
    const base = { appUrl: 'http://purse.test', secret: 'a secret of the tests, long enough to be one' }
    if (/unsubscribe/i.test(operationId)) return unsubscribeLink(base, 'reminder', attacker.id)
    if (operationId === 'verifyEmail') return queuedMail(world, 'verify_address', attacker.email).url
    const [old, email] = [newAddress(), newAddress()]
    if (/approv/i.test(operationId)) {
      const { token } = await signInThroughProvider(world, old)
      await world.as(token).put('/api/me/email', { email })
      return queuedMail(world, 'approve_address', old).url
    }
    const person = await world.register({ email: old })
    if (/disown/i.test(operationId)) return queuedMail(world, 'verify_address', old).disownUrl
    if (/restore/i.test(operationId)) {
      await verify(world, person)
      await changeAddress(world, person, email)
      return queuedMail(world, 'address_changed', old).restoreUrl
    }
    await person.put('/api/me/email', { email, current_password: person.password })
    return queuedMail(world, 'change_address', email).url
  }

  /** Prepares two equal transactions, joined if the request is to separate them. */
  async function preparePair(operationId: string): Promise<void> {
    await provide()
    // Their accounts may have gone since, so that nothing is recorded.
    const record = async () => (await attacker.post('/api/transactions', expense(own))).body?.id ?? 0
    const pair = [await record(), await record()]
    own = { ...own, pair, joined: pair }
    if (operationId !== 'separateMatch') return
    await attacker.post('/api/matches/join', { kind: 'duplicate', ids: pair })
  }

  function lookup({ what, nth }: Known): string | number {
    const [isForeign, noun] = what.startsWith('foreign ') ? [true, what.slice(8)] : [false, what]
    const ids = (isForeign ? foreign : own)[noun]
    if (ids) return ids[nth % ids.length] ?? 0
    const resetMail = world.queued.findLast(
      (one) => one.kind === 'reset_password' && one.to === attacker.email,
    )
    const resetUrl = new URL(resetMail?.kind === 'reset_password' ? resetMail.url : 'http://none/')
    const [, , , , user = '0', hash = '0'] = link.pathname.split('/')
    // A parameter of a link is drawn as the operation and its name.
    const name = what.split(' ').at(-1) ?? ''
    const ofLink = { id: user, user, hash, signature: link.searchParams.get('signature') ?? hash }
    const known: Record<string, string | null> = {
      email: attacker.email,
      'new email': newAddress(),
      password: attacker.password,
      'reset token': resetUrl.searchParams.get('token'),
    }
    if (what in known) return known[what] ?? 'none'
    if (what.startsWith('completeProviderSignIn')) return callback.get(name) ?? 'none'
    return { ...ofLink, expires: link.searchParams.get('expires') }[name] ?? 'none'
  }

  /** Signs in again if the last request ended the session, and as another user if it deleted the user. */
  async function signInAgain(): Promise<void> {
    if ((await attacker.get('/api/me')).status === 200) return
    const token = await signIn(world, attacker)
    attacker = token ? { ...attacker, ...world.as(token) } : await createAttacker(world, newAddress())
    await provide()
  }

  /** Hands the queued batches to the consumer; returns those that failed. */
  async function deliverSyncs(): Promise<unknown[]> {
    return (await world.deliverSyncs()).retryMessages
  }

  /** The same for the newest mails, which greet people by whatever names they gave. */
  async function deliverMails(): Promise<unknown[]> {
    return (await world.deliver(world.queued.slice(-mailsDelivered))).retryMessages
  }

  await provide()
  return {
    world,
    bystander,
    before,
    rows,
    provide,
    prepare,
    lookup,
    signInAgain,
    deliverSyncs,
    deliverMails,
    attacker: () => attacker,
  }
}

const balanceCheck = (accountId: unknown) => ({ account_id: accountId, date: '2026-01-31', balance: 1 })

const monthly = (ids: Ids) => {
  const { transaction_date: starts_on, force: _, ...template } = expense(ids)
  return { ...template, starts_on, rrule: 'FREQ=MONTHLY' }
}

const expense = (ids: Ids) => ({
  account_id: ids.account?.[0],
  category_id: ids.category?.[0],
  type: 'expense',
  amount: 1,
  transaction_date: '2026-11-01',
  force: true,
})

async function createAttacker(world: World, email: string): Promise<Person> {
  const person = await world.register({ email, name: 'Mallory' })
  await verify(world, person)
  return person
}

async function signIn(world: World, person: Person): Promise<string | undefined> {
  return (await logIn(world, person, { 'CF-Connecting-IP': crypto.randomUUID() })).body.access_token
}

/** A user who owns a row of each kind, the marker in every text of it. */
async function createBystander(world: World): Promise<Person> {
  const person = await world.register({ name: marker, email: `${marker}@example.com` })
  await verify(world, person)
  const account = await openAccount(person, { name: marker, notes: marker, starting_balance: markedAmount })
  const savings = await openAccount(person, { name: `${marker} 2` })
  for (const { id } of (await person.get('/api/categories')).body)
    await person.put(`/api/categories/${id}`, { name: `${marker} ${id}` })
  const category = await aCategory(person)
  const row = {
    ...{ account_id: account.id, category_id: category.id, type: 'expense', amount: markedAmount },
    ...{ description: marker, reference: marker, client_id: marker, transaction_date: '2026-11-01' },
  }
  const another = (nth: number) => ({ ...row, client_id: `${marker} ${nth}`, force: true })
  await recordTransaction(person, row)
  await recordTransaction(person, { ...another(2), type: 'transfer', to_account_id: savings.id })
  await person.post('/api/transactions/sync', { transactions: [another(3)] })
  await world.deliverSyncs()
  await person.post('/api/import/store', { transactions: [another(4)] })
  await person.post('/api/balance-checks', balanceCheck(account.id))
  const { client_id: _, transaction_date: starts_on, ...template } = row
  await person.post('/api/recurring', { ...template, starts_on, rrule: 'FREQ=MONTHLY' })
  await person.post('/api/forgot-password', { email: person.email })
  return person
}

/** The newest ids of each kind that a user owns. */
async function idsOf(world: World, userId: number): Promise<Ids> {
  const newest = (table: string, by = 'id') =>
    sql.raw(
      `(select json_group_array(id) from (select id from ${table} where user_id = ${userId} order by ${by} desc limit ${remembered}))`,
    )
  const [found] = await askDatabase(
    world,
    sql`
      select ${newest('accounts')} as account, ${newest('categories')} as category,
             ${newest('transactions')} as "transaction", ${newest('imports')} as import,
             ${newest('import_layouts')} as layout, ${newest('balance_checks')} as balance_check,
             ${newest('recurring_rules')} as recurring,
             ${newest('sync_batches', 'rowid')} as sync, ${newest('tokens')} as session`,
  )
  return Object.fromEntries(Object.entries(found ?? {}).map(([what, ids]) => [what, JSON.parse(String(ids))]))
}
