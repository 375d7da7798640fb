import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** An email as Resend's API returns it, and its idempotency key. */
export type Mail = {
  object: 'email'
  id: string
  created_at: string
  from: string
  to: string[]
  cc: string[]
  bcc: string[]
  reply_to: string[]
  subject: string
  html: string | null
  text: string | null
  headers: Record<string, string>
  last_event: 'delivered'
  idempotency_key: string | null
}

export type Mails = ReturnType<typeof openMails>

const mailsKept = 1_000

/** Opens the emails of a folder: the newest 1,000, each with the idempotency key of its request. */
export function openMails(directory: string) {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const database = new DatabaseSync(path.join(directory, 'mails.db'))
  database.exec('pragma journal_mode = wal')
  database.exec(
    'create table if not exists mails (number integer primary key autoincrement, id text unique, key text unique, fingerprint text, mail text)',
  )
  const insert = database.prepare('insert into mails (id, key, fingerprint, mail) values (?, ?, ?, ?)')
  const removeOldest = database.prepare(
    'delete from mails where number <= (select max(number) from mails) - ?',
  )
  const byId = database.prepare('select mail from mails where id = ?')
  const byKey = database.prepare('select id, fingerprint from mails where key = ?')
  const newestFirst = database.prepare('select mail from mails order by number desc')

  return {
    /** Adds an email, and a hash of the body that it came in. */
    add(mail: Mail, fingerprint: string): void {
      insert.run(mail.id, mail.idempotency_key, fingerprint, JSON.stringify(mail))
      removeOldest.run(mailsKept)
    },
    find(id: string): Mail | undefined {
      const row = byId.get(id)
      return row && parse(row)
    },
    /** The id of the email that was sent with the key, and the hash of its body. */
    findByKey(key: string): { id: string; fingerprint: string } | undefined {
      const row = byKey.get(key)
      return row && { id: String(row.id), fingerprint: String(row.fingerprint) }
    },
    /** The newest emails that contain every word in subject, addresses or content, newest first. */
    newest(limit: number, words = ''): Mail[] {
      const wanted = words.toLowerCase().split(/\s+/)
      const found: Mail[] = []
      for (const row of newestFirst.iterate()) {
        const mail = parse(row)
        const { subject, from, to, cc, bcc, text, html } = mail
        const content = [subject, from, ...to, ...cc, ...bcc, text, html].join('\n').toLowerCase()
        if (wanted.every((word) => content.includes(word))) found.push(mail)
        if (found.length === limit) break
      }
      return found
    },
    clear(): void {
      database.exec('delete from mails')
    },
    close(): void {
      database.close()
    },
  }
}

function parse(row: Record<string, unknown>): Mail {
  return JSON.parse(String(row.mail)) as Mail
}
