import { copyFile, mkdir } from 'node:fs/promises'
import path from 'node:path'
import { migrateDatabase } from '../../dev/migrate.ts'
import { freePort } from '../../dev/ports.ts'
import { loopback } from '../../dev/settings.ts'
import { startSqld } from '../../dev/sqld/server.ts'
import { startDatabaseProxy } from './proxy.ts'

/** The most databases to exist at once, since idle ones cost time as well; beyond that, the least recently used is deleted. */
const maxDatabases = 128
/** How many are made ahead, so that no test waits for its own. */
const madeAhead = 4

/**
 * Any number of databases on one sqld: each `<url>/<name>/` is a database of its own, created at its first use, empty or
 * `migrated`. Between it and its clients is the proxy of proxy.ts.
 */
export async function startDatabases(
  directory: string,
  { migrated }: { migrated: boolean },
): Promise<{ url: string; close(): Promise<void> }> {
  const adminPort = await freePort()
  const sqld = await startSqld({
    directory,
    // No automatic checkpoints: tests of writers that meet one have a server of their own.
    checkpointInterval: 3_600,
    args: [
      '--enable-namespaces',
      `--admin-listen-addr=${loopback}:${adminPort}`,
      `--max-active-namespaces=${2 * maxDatabases}`,
      // The limit is that of the server, not of each database.
      `--max-concurrent-connections=${8 * maxDatabases}`,
    ],
  })
  const namespaces = new Namespaces(directory, `http://${loopback}:${adminPort}/v1/namespaces`)
  const find = async (name: string) => ({ origin: sqld.url, host: `${await namespaces.find(name)}.purse` })
  const proxy = await startDatabaseProxy(find)
  if (migrated) {
    await migrateDatabase(`${proxy.url}/template/`)
    await namespaces.copyFromNowOn('template')
  }
  return {
    url: proxy.url,
    async close() {
      await proxy.close()
      await sqld.kill()
    },
  }
}

/** The namespaces of a sqld. */
class Namespaces {
  readonly #directory: string
  readonly #adminUrl: string
  /** The files that every new namespace gets a copy of. */
  readonly #bornWith: string[] = []
  // In the order of their last use.
  readonly #byName = new Map<string, Promise<string>>()
  readonly #dropped = new Set<string>()
  readonly #unused: Promise<string>[] = []
  #made = 0

  constructor(directory: string, adminUrl: string) {
    this.#directory = directory
    this.#adminUrl = adminUrl
  }

  /** Makes every new database a copy of that one as it is now. */
  async copyFromNowOn(template: string): Promise<void> {
    const namespace = await this.find(template)
    await this.#administer('POST', `${namespace}/checkpoint`)
    await this.#keep(namespace, 'data')
    // Without a log, sqld would write one from the pages of each copy, as it does for this first one.
    await this.#keep(await this.#make(), 'wallog')
    while (this.#unused.length < madeAhead) this.#makeAnother()
  }

  async #keep(namespace: string, file: string): Promise<void> {
    await copyFile(this.#pathOf(namespace, file), path.join(this.#directory, file))
    this.#bornWith.push(file)
  }

  /** The namespace that the database of a name is in, made on its first use. */
  find(name: string): Promise<string> {
    if (this.#dropped.has(name)) throw new Error(`The database ${name} was dropped to make room for others`)
    const namespace = this.#byName.get(name) ?? this.#next()
    this.#byName.delete(name)
    this.#byName.set(name, namespace)
    if (this.#byName.size > maxDatabases) this.#dropOldest()
    return namespace
  }

  #next(): Promise<string> {
    this.#makeAnother()
    return this.#unused.shift() ?? this.#make()
  }

  #makeAnother(): void {
    const made = this.#make()
    // It may never be requested, so a run that ends must not fail because of it.
    made.catch(() => undefined)
    this.#unused.push(made)
  }

  /** Three times faster than the server's own fork: it opens files that are where a namespace's would be. */
  async #make(): Promise<string> {
    this.#made += 1
    const namespace = `d${this.#made}`
    if (this.#bornWith.length > 0) await mkdir(this.#pathOf(namespace))
    for (const file of this.#bornWith)
      await copyFile(path.join(this.#directory, file), this.#pathOf(namespace, file))
    await this.#administer('POST', `${namespace}/create`)
    return namespace
  }

  #pathOf(namespace: string, file = ''): string {
    return path.join(this.#directory, 'dbs', namespace, file)
  }

  #dropOldest(): void {
    const [[name, namespace] = []] = this.#byName
    if (name === undefined) return
    this.#byName.delete(name)
    this.#dropped.add(name)
    namespace?.then((oldest) => this.#administer('DELETE', oldest)).catch(console.error)
  }

  async #administer(method: string, path: string): Promise<void> {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`${this.#adminUrl}/${path}`, { method, headers, body: '{}' })
    const text = await response.text()
    if (!response.ok) throw new Error(`sqld responded with ${response.status} to ${method} ${path}: ${text}`)
  }
}
