import { sql } from 'drizzle-orm'
import { unsubscribeLink } from '../../../src/shared/links.ts'
import {
  aCategory,
  changeAddress,
  createWorld,
  openAccount,
  type Person,
  pathOf,
  providerCallback,
  queuedMail,
  recordTransaction,
  signInThroughProvider,
  type World,
} from '../fixtures/world.ts'
import { openWorldDatabase, verify } from '../laws/every-route.ts'
import { addressLinks, type Draft } from './requests.ts'
import { rowsOf } from './rows.ts'
import type { Known } from './written.ts'

/** Appears in every text that the bystander owns, and in nothing that is ever sent. */
export const marker = 'kept-by-the-bystander'
const markedAmount = '7654321.09'
const password = 'correct horse battery'
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
  let unsubscribe = ''
  let disown = new URL('http://none/')
  let addressLink = new URL('http://none/')

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
    if (operation.id.toLowerCase().endsWith('unsubscribe')) {
      const base = { appUrl: 'http://purse.test', secret: 'a secret of the tests, long enough to be one' }
      unsubscribe = pathOf(await unsubscribeLink(base, attacker.id))
    }
    if (operation.id.toLowerCase().endsWith('disown')) {
      const { email } = await world.register({ email: newAddress() })
      disown = new URL(queuedMail(world, 'verify_address', email).disownUrl ?? '')
    }
    if (addressLinks.includes(operation.id)) addressLink = await addressLinkOf(operation.id)
    if (operation.id.includes('Match') || operation.id === 'takeRejectionBack')
      await preparePair(operation.id)
    if (operation.id === 'resetPassword')
      await attacker.post('/api/forgot-password', { email: attacker.email })
  }

  /** A link to an operation about a change of the address, for a user of its own. */
  async function addressLinkOf(operationId: string): Promise<URL> {
    const [old, email] = [newAddress(), newAddress()]
    if (operationId.includes('pprov')) {
      const { token } = await signInThroughProvider(world, old)
      await world.as(token).put('/api/me/email', { email })
      return new URL(queuedMail(world, 'approve_address', old).url)
    }
    const person = await world.register({ email: old })
    if (operationId.includes('estore')) {
      await verify(world, person)
      await changeAddress(world, person, email)
      return new URL(queuedMail(world, 'address_changed', old).restoreUrl ?? '')
    }
    await person.put('/api/me/email', { email, current_password: person.password })
    return new URL(queuedMail(world, 'change_address', email).url)
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
    const mail = (kind: string) =>
      world.queued.findLast((one) => one.kind === kind && one.to === attacker.email)
    const link = (kind: string) =>
      new URL((mail(kind) as { url?: string } | undefined)?.url ?? 'http://none/')
    const known: Record<string, string | null> = {
      email: attacker.email,
      'new email': newAddress(),
      password: attacker.password,
      'reset token': link('reset_password').searchParams.get('token'),
      ...partsOf('verifyEmail', link('verify_address')),
      ...partsOf('showDisown', disown),
      ...partsOf('disown', disown),
      ...Object.assign({}, ...addressLinks.map((id) => partsOf(id, addressLink))),
      'completeProviderSignIn code': callback.get('code'),
      'completeProviderSignIn state': callback.get('state'),
      'completeProviderSignIn iss': callback.get('iss'),
    }
    const [, , , , user = '0', signature = '0'] = unsubscribe.split('/')
    if (what.endsWith('unsubscribe user') || what === 'showUnsubscribe user') return user
    if (what.endsWith('signature') && !(what in known)) return signature
    return known[what] ?? 'none'
  }

  /** Signs in again if the last request ended the session, and as another user if it deleted the user. */
  async function signInAgain(): Promise<void> {
    if ((await attacker.get('/api/me')).status === 200) return
    const token = await signIn(world, attacker)
    attacker = token ? withToken(world, attacker, token) : await createAttacker(world, newAddress())
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

const expense = (ids: Ids) => ({
  account_id: ids.account?.[0],
  category_id: ids.category?.[0],
  type: 'expense',
  amount: 1,
  transaction_date: '2026-11-01',
  force: true,
})

async function createAttacker(world: World, email: string): Promise<Person> {
  const person = await world.register({ email, password, password_confirmation: password, name: 'Mallory' })
  await verify(world, person)
  return person
}

async function signIn(world: World, { email, password }: Person): Promise<string | undefined> {
  const headers = { 'CF-Connecting-IP': crypto.randomUUID() }
  return (await world.call('POST', '/api/login', { body: { email, password }, headers })).body.access_token
}

function withToken(world: World, person: Person, token: string): Person {
  const as = (method: string) => (path: string, body?: unknown) => world.call(method, path, { token, body })
  const [get, post, put, patch] = [as('GET'), as('POST'), as('PUT'), as('PATCH')]
  return { ...person, token, get, post, put, patch, delete: as('DELETE') }
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
  await recordTransaction(person, row)
  await recordTransaction(person, {
    ...row,
    type: 'transfer',
    to_account_id: savings.id,
    client_id: `${marker} 2`,
  })
  await person.post('/api/transactions/sync', {
    transactions: [{ ...row, client_id: `${marker} 3`, force: true }],
  })
  await world.deliverSyncs()
  await person.post('/api/import/store', {
    transactions: [{ ...row, client_id: `${marker} 4`, force: true }],
  })
  await person.post('/api/forgot-password', { email: person.email })
  return person
}

/** The newest ids of each kind that a user owns. */
async function idsOf(world: World, userId: number): Promise<Ids> {
  const newest = (table: string, by = 'id') =>
    sql.raw(
      `(select json_group_array(id) from (select id from ${table} where user_id = ${userId} order by ${by} desc limit ${remembered}))`,
    )
  const db = openWorldDatabase(world)
  const [[found]] = await db.batch([
    db.all<Record<string, string>>(sql`
      select ${newest('accounts')} as account, ${newest('categories')} as category,
             ${newest('transactions')} as "transaction", ${newest('imports')} as import,
             ${newest('import_layouts')} as layout,
             ${newest('sync_batches', 'rowid')} as sync, ${newest('tokens')} as session`),
  ])
  return Object.fromEntries(Object.entries(found ?? {}).map(([what, ids]) => [what, JSON.parse(ids)]))
}

/** The parameters of an operation that a link in a verification mail leads to. */
function partsOf(operation: string, { pathname, searchParams }: URL): Record<string, string | null> {
  const [, , , , id = '0', hash = '0'] = pathname.split('/')
  return {
    [`${operation} id`]: id,
    [`${operation} hash`]: hash,
    [`${operation} expires`]: searchParams.get('expires'),
    [`${operation} signature`]: searchParams.get('signature'),
  }
}
