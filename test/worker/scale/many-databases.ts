import { createExecutionContext, createScheduledController } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { Directory } from '../../../scale/directory.ts'
import { allotIds } from '../../../scale/ids.ts'
import { enrol, moveUser, type NumberedDatabase } from '../../../scale/move.ts'
import type { RouterEnv } from '../../../scale/places.ts'
import router from '../../../scale/router.ts'
import type { Mail } from '../../../src/domain/mails.ts'
import { type Database, openDatabase } from '../../databases/open.ts'
import type { Json } from '../answers.ts'
import { clientsOf, collectingQueue, freshDatabaseUrl } from '../service.ts'
import { pathOf } from '../world.ts'

const directorySecret = 'a secret that keys the directory of the tests'

export type Stamped<T> = T & { home: number }
export type Databases = Awaited<ReturnType<typeof createDatabases>>
export type Resident = Awaited<ReturnType<Databases['register']>>

/** The router and the real Worker behind it, on so many databases and a directory that nobody else uses. */
export async function createDatabases(count: number) {
  const numbered: (NumberedDatabase & { db: Database; url: string })[] = []
  const directoryUrl = freshDatabaseUrl()
  const directoryDb = open(directoryUrl)
  const directory = new Directory(directoryDb)
  await directory.create()

  const mails: Stamped<Mail>[] = []
  const syncs: Stamped<{ batch_id: string }>[] = []
  const removals: Stamped<{ user_id: number }>[] = []
  let routerEnv = environment()

  /** A change of the configuration, as a deployment makes it. */
  function environment(change: Partial<RouterEnv> = {}): RouterEnv {
    return {
      ...env,
      TURSO_DATABASE_URL: 'http://127.0.0.1:9/',
      DIRECTORY_URL: directoryUrl,
      DIRECTORY_SECRET: directorySecret,
      DATABASE_URLS: numbered.map(({ url }) => url).join(' '),
      NEWCOMER_DATABASES: numbered.map(({ number }) => number).join(' '),
      MAIL_QUEUE: collectingQueue(mails),
      SYNC_QUEUE: collectingQueue(syncs),
      REMOVAL_QUEUE: collectingQueue(removals),
      ...change,
    }
  }

  /** Adds a database as an operator does: migrates it, allots its ids, and names it in the configuration. */
  async function add(): Promise<void> {
    const url = freshDatabaseUrl()
    const added = { number: numbered.length, url, db: open(url) }
    await allotIds(added.db, added.number)
    numbered.push(added)
    routerEnv = environment()
  }
  for (let i = 0; i < count; i++) await add()

  const { call, as, register, deliver } = clientsOf({
    fetch: (request, context) => router.fetch(request, routerEnv, context),
    queue: (batch, context) => router.queue(batch, routerEnv, context),
  })

  const every = () => [...numbered.map(({ url }) => url), directoryUrl]
  /** How many requests each database has had during the work, in the order of their numbers, and the directory last. */
  async function requestsDuring(work: () => Promise<unknown>): Promise<number[]> {
    await Promise.all(every().map(async (url) => (await fetch(`${url}stats`, { method: 'DELETE' })).text()))
    await work()
    const stats = await Promise.all(every().map(async (url) => (await fetch(`${url}stats`)).json<Json>()))
    return stats.map(({ requests }) => requests)
  }

  /** Moves somebody; `db` is how the new database is reached. */
  const move = (userId: number, from: number, to: number, { db = database(to).db, graceMs = 100 } = {}) =>
    moveUser(userId, {
      directory,
      secret: directorySecret,
      from: database(from),
      to: { number: to, db },
      graceMs,
    })

  /** The newest email of a kind to an address. */
  function mail<K extends Mail['kind']>(kind: K, address: string) {
    const found = mails.filter((one) => one.kind === kind && one.to === address).at(-1)
    if (!found) throw new Error(`There is no mail of the kind ${kind} to ${address}`)
    return found as Stamped<Extract<Mail, { kind: K }>>
  }

  /** Follows the link in somebody's verification email. */
  const verify = ({ email }: { email: string }) => call('GET', pathOf(mail('verify_address', email).url))

  function database(number: number) {
    const found = numbered[number]
    if (!found) throw new Error(`There is no database ${number}`)
    return found
  }

  return {
    add,
    as,
    database,
    mail,
    verify,
    call,
    deliver,
    directoryDb,
    move,
    numbered,
    register,
    requestsDuring,
    syncs,
    removals,
    enrol: (number: number) => enrol(directory, directorySecret, database(number)),
    reconfigure: (change: Partial<RouterEnv>) => {
      routerEnv = environment(change)
    },
    runCron: (cron: string) =>
      router.scheduled(
        createScheduledController({ cron, scheduledTime: new Date() }),
        routerEnv,
        createExecutionContext(),
      ),
  }
}

/** A database that is opened for the whole test, so that no request of its own can be left hanging. */
function open(url: string) {
  return openDatabase({ url, timeoutMs: 20_000 })
}

/** An address where nothing listens. */
export const deadUrl = 'http://127.0.0.1:9/'
