import { existsSync } from 'node:fs'
import { appendFile, mkdir, open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { asObject, parseJson } from '../web/body.ts'
import type { Mail } from './mail.ts'
import type { UsedKey } from './used-keys.ts'

/** The emails of one request and its idempotency key: one entry, so that a crash keeps both or neither. */
export type Entry = { mails: Mail[]; key?: UsedKey }

/**
 * An append-only file with one entry per line. The newline comes first, so that a torn write spoils only itself, never
 * the next entry.
 */
export class MailboxLog {
  #path: string
  #last: Promise<unknown> = Promise.resolve()

  constructor(path: string) {
    this.#path = path
  }

  static async open(directory: string): Promise<MailboxLog> {
    await mkdir(directory, { recursive: true })
    return new MailboxLog(join(directory, 'mails.jsonl'))
  }

  /** Every complete entry, oldest first. */
  async read(): Promise<Entry[]> {
    const text = existsSync(this.#path) ? await readFile(this.#path, 'utf8') : ''
    return text.split('\n').flatMap((line) => {
      const entry = asObject(parseJson(line))
      return Array.isArray(entry?.mails) ? [entry as Entry] : []
    })
  }

  /** Adds an entry; when this resolves, with its size in bytes, it is in the file. */
  append(entry: Entry): Promise<number> {
    const line = `\n${JSON.stringify(entry)}`
    return this.#inTurn(async () => {
      await appendFile(this.#path, line)
      return Buffer.byteLength(line)
    })
  }

  /**
   * Replaces the whole file in one step, so that a crash leaves either the old or the new entries. `entries` is called
   * only after all earlier writes, so that none of these is lost. Resolves with the file's size in bytes.
   */
  replace(entries: () => Entry[]): Promise<number> {
    return this.#inTurn(async () => {
      const text = entries()
        .map((entry) => `\n${JSON.stringify(entry)}`)
        .join('')
      const draft = `${this.#path}.draft`
      const file = await open(draft, 'w')
      try {
        await file.writeFile(text)
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(draft, this.#path)
      return Buffer.byteLength(text)
    })
  }

  #inTurn<T>(write: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(write, write)
    this.#last = turn
    return turn
  }
}
