import { constants, copyFileSync, existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'
import { markerOf, writeMarker } from './byte-text.ts'
import { LocalDatabase } from './database.ts'
import { DirectoryInUse, ProtocolError } from './errors.ts'

export interface DirectoryOptions {
  readonly directory: string
  readonly template: string | undefined
  readonly durable: boolean
  readonly transactionMs: number
  readonly latencyMs: number
}

const NAME = /^[A-Za-z0-9_-]{1,64}$/
const LOCK_FILE = '.server-lock'
const WARM_DATABASES = 32

/** The databases of one directory, which belongs to this server alone for as long as it lives. */
export class DatabaseDirectory {
  readonly #options: DirectoryOptions
  readonly #lock: Database.Database
  readonly #databases = new Map<string, LocalDatabase>()
  // In the order of their last use.
  readonly #warm = new Set<LocalDatabase>()

  constructor(options: DirectoryOptions) {
    this.#options = options
    mkdirSync(options.directory, { recursive: true })
    this.#lock = lockDirectory(options.directory)
  }

  /** The database of that name, made on first use; undefined if no database can have the name. */
  database(name: string): LocalDatabase | undefined {
    if (!NAME.test(name)) return undefined
    const database = this.#databases.get(name) ?? this.#newDatabase(name)
    if (!existsSync(database.path)) this.#create(database)
    this.#databases.set(name, database)
    this.#keepWarm(database)
    return database
  }

  close(): void {
    for (const database of this.#databases.values()) {
      try {
        if (existsSync(database.path)) checkpoint(database)
      } catch {
        // A damaged database has told its users so; it must not keep the others from being closed.
      }
      database.closeIdle()
    }
    this.#databases.clear()
    this.#lock.close()
  }

  #newDatabase(name: string): LocalDatabase {
    return new LocalDatabase({ ...this.#options, name, path: join(this.#options.directory, `${name}.db`) })
  }

  #create(database: LocalDatabase): void {
    database.startAnew()
    const { template } = this.#options
    if (template === undefined || template === database.name) return
    const source = this.database(template)
    if (!source || !existsSync(source.path)) {
      throw new ProtocolError(`The template database ${template} does not exist`, 404)
    }
    copyDatabase(source, database.path)
  }

  // Only the databases used last keep their connections; one whose file is gone is forgotten altogether.
  #keepWarm(database: LocalDatabase): void {
    this.#warm.delete(database)
    this.#warm.add(database)
    const [coldest] = this.#warm
    if (this.#warm.size <= WARM_DATABASES || !coldest) return
    this.#warm.delete(coldest)
    coldest.closeIdle()
    if (!existsSync(coldest.path)) this.#databases.delete(coldest.name)
  }
}

// SQLite's own file lock: it goes when the process goes, however that happens.
function lockDirectory(directory: string): Database.Database {
  const lock = new Database(join(directory, LOCK_FILE))
  try {
    lock.exec('BEGIN EXCLUSIVE')
    return lock
  } catch (error) {
    lock.close()
    if ((error as { code?: unknown }).code === 'SQLITE_BUSY') throw new DirectoryInUse(directory)
    throw error
  }
}

function copyDatabase(source: LocalDatabase, path: string): void {
  // Renamed into place, so that a process killed in between leaves no half database under the name.
  const unfinished = `${path}.new`
  if (existsSync(unfinished)) rmSync(unfinished)
  if (checkpoint(source)) copyFileSync(source.path, unfinished, constants.COPYFILE_FICLONE)
  else vacuumInto(source, unfinished)
  if (existsSync(markerOf(source.path))) writeMarker(path)
  renameSync(unfinished, path)
}

/** True if the database file itself now holds everything that was committed. */
function checkpoint(database: LocalDatabase): boolean {
  const log = statSync(`${database.path}-wal`, { throwIfNoEntry: false })
  if (!log || log.size === 0) return true
  const connection = database.checkOut()
  try {
    return connection.checkpoint()
  } finally {
    database.checkIn(connection)
  }
}

// Slower, but it does not mind a reader or writer on the source.
function vacuumInto(database: LocalDatabase, path: string): void {
  const connection = database.checkOut()
  try {
    connection.control(`VACUUM INTO '${path.replaceAll("'", "''")}'`)
  } finally {
    database.checkIn(connection)
  }
}
