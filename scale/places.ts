import { openDatabase } from '../src/db/client.ts'
import { Directory } from './directory.ts'

/** The Worker's bindings, and those that spread its users over several databases. */
export type RouterEnv = Env & {
  /** URLs in order of their numbers, separated by spaces. TURSO_AUTH_TOKEN opens them all, as Turso's group tokens do. */
  DATABASE_URLS: string
  /** The numbers of the databases that take new users, separated by spaces. */
  NEWCOMER_DATABASES: string
  /** A migrated database without users: holds the directory, and serves requests that concern no user. */
  DIRECTORY_URL: string
  /** Keys the directory's hashes of addresses and identities. */
  DIRECTORY_SECRET: string
}

/** The database that the Worker is to use: one by number, the directory's own, or none, so that it answers 503. */
export type Place = number | 'nobodys' | 'nowhere'

/** What a queue message carries besides the product's own fields. */
export type Stamp = { home: number }

/** Nothing listens here, so the Worker answers its own 503, with the usual headers and log line. */
const nowhereUrl = 'http://127.0.0.1:9/'
const directoryTimeoutMs = 4_000

/** The bindings that the Worker gets for each place. */
export class Places {
  /** Where tokens have moved to, as far as is known. One that has moved on since is unknown there, and looked up again. */
  readonly moved = new Map<number, number>()
  readonly #numbered: Env[]
  readonly #nobodys: Env
  readonly #nowhere: Env

  private constructor(env: RouterEnv) {
    this.#numbered = env.DATABASE_URLS.split(' ').map((url, home) => ({
      ...env,
      TURSO_DATABASE_URL: url,
      MAIL_QUEUE: stamping(env.MAIL_QUEUE, { home }),
      SYNC_QUEUE: stamping(env.SYNC_QUEUE, { home }),
      REMOVAL_QUEUE: stamping(env.REMOVAL_QUEUE, { home }),
    }))
    this.#nobodys = { ...env, TURSO_DATABASE_URL: env.DIRECTORY_URL }
    this.#nowhere = { ...env, TURSO_DATABASE_URL: nowhereUrl }
  }

  /** One for each environment, since the Worker reads its bindings once for each object. */
  static readonly #known = new WeakMap<RouterEnv, Places>()
  static of(env: RouterEnv): Places {
    const places = Places.#known.get(env) ?? new Places(env)
    Places.#known.set(env, places)
    return places
  }

  /** A number without a database is nobody's: there, every id and token is unknown. */
  at(place: Place): Env {
    if (place === 'nowhere') return this.#nowhere
    return (place === 'nobodys' ? undefined : this.#numbered[place]) ?? this.#nobodys
  }

  get all(): Env[] {
    return [...this.#numbered, this.#nobodys]
  }
}

/** Opens the directory for one request. */
export function directoryOf(env: RouterEnv): Directory {
  const address = { url: env.DIRECTORY_URL, authToken: env.TURSO_AUTH_TOKEN, timeoutMs: directoryTimeoutMs }
  return new Directory(openDatabase(address))
}

/** The home of a new user: spread by a key that ends in the digits of a hash. */
export function newcomersHome(env: RouterEnv, key: string): number {
  const open = env.NEWCOMER_DATABASES.split(' ').map(Number)
  return open[Number.parseInt(key.slice(-8), 16) % open.length] ?? 0
}

/** The queue, with a stamp on every message sent through it. */
function stamping<T>(queue: Queue<T>, stamp: Stamp): Queue<T> {
  return {
    metrics: () => queue.metrics(),
    send: (message, options) => queue.send({ ...message, ...stamp }, options),
    sendBatch: (messages, options) =>
      queue.sendBatch(
        [...messages].map((message) => ({ ...message, body: { ...message.body, ...stamp } })),
        options,
      ),
  }
}
