import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Resend } from 'resend'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startInbox } from '../../dev/inbox/server.ts'

type Inbox = Awaited<ReturnType<typeof startInbox>>

let directory: string
let inbox: Inbox
let resend: Resend

const hello = {
  from: 'Purse <no-reply@purse.example>',
  to: 'anna@example.com',
  subject: 'Hello',
  text: 'Hi Anna',
}

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'inbox-'))
  await open()
})

afterEach(async () => {
  await inbox.close()
  await rm(directory, { recursive: true })
})

async function open(): Promise<void> {
  inbox = await startInbox({ port: 0, directory })
  resend = new Resend('re_local', { baseUrl: inbox.url })
}

async function reopen(): Promise<void> {
  await inbox.close()
  await open()
}

/** A request without the SDK, for what the SDK does not do. */
function call(path: string, method = 'GET', body?: unknown, headers: Record<string, string> = {}) {
  const content = body === undefined ? {} : { body: JSON.stringify(body) }
  return fetch(`${inbox.url}${path}`, { method, headers, ...content })
}

async function subjects(words = ''): Promise<string[]> {
  const headers = { authorization: 'Bearer re_local' }
  const path = `/emails?limit=100&q=${encodeURIComponent(words)}`
  const { data } = await (await call(path, 'GET', undefined, headers)).json()
  return data.map((mail: { subject: string }) => mail.subject)
}

async function count(): Promise<number> {
  return (await subjects()).length
}

async function send(...all: string[]): Promise<void> {
  for (const subject of all) expect((await resend.emails.send({ ...hello, subject })).error).toBeNull()
}

it('returns an email with its content and headers', async () => {
  const { data, error } = await resend.emails.send({
    ...hello,
    to: ['anna@example.com', 'Ben <ben@example.com>'],
    cc: 'carl@example.com',
    replyTo: 'help@purse.example',
    html: '<p>Hi Anna</p>',
    headers: { 'List-Unsubscribe': '<https://purse.example/u>' },
  })
  expect(error).toBeNull()
  const mail = await resend.emails.get(data?.id ?? '')
  expect(mail.data).toMatchObject({
    object: 'email',
    id: data?.id,
    from: 'Purse <no-reply@purse.example>',
    to: ['anna@example.com', 'Ben <ben@example.com>'],
    cc: ['carl@example.com'],
    bcc: [],
    reply_to: ['help@purse.example'],
    subject: 'Hello',
    html: '<p>Hi Anna</p>',
    text: 'Hi Anna',
    last_event: 'delivered',
    headers: { 'List-Unsubscribe': '<https://purse.example/u>' },
  })
  expect(new Date(mail.data?.created_at ?? '').getTime()).toBeGreaterThan(Date.parse('2026-01-01'))
})

it('lists emails newest first and without their content', async () => {
  await send('one', 'two', 'three')
  const { data } = await resend.emails.list()
  expect(data).toMatchObject({ object: 'list', has_more: false })
  expect(data?.data.map((mail) => mail.subject)).toEqual(['three', 'two', 'one'])
  expect(data?.data[0]).not.toHaveProperty('text')
  expect(data?.data[0]).toMatchObject({ to: ['anna@example.com'], cc: [], bcc: [], reply_to: [] })
})

it.each([
  ['no subject', { subject: '' }],
  ['an address without a domain', { to: 'anna' }],
  ['a sender with two lines', { from: 'Purse\r\nBcc: x@example.com <no-reply@purse.example>' }],
  ['a subject with two lines', { subject: 'Hello\nBcc: eve@example.com' }],
  ['a header with two lines', { headers: { 'X-A': 'a\r\nBcc: eve@example.com' } }],
  ['51 recipients', { to: Array.from({ length: 51 }, (_, index) => `p${index}@example.com`) }],
])('refuses %s', async (_what, change) => {
  const { error } = await resend.emails.send({ ...hello, ...change })
  expect(error).toMatchObject({ statusCode: 422 })
  expect(await count()).toBe(0)
})

it('gives the same request with the same idempotency key the same response, without a second email', async () => {
  const first = await resend.emails.send(hello, { idempotencyKey: 'welcome/1' })
  const again = await resend.emails.send(hello, { idempotencyKey: 'welcome/1' })
  expect(again.data).toEqual(first.data)
  expect(await count()).toBe(1)
})

it('refuses an idempotency key that was used for another email', async () => {
  await resend.emails.send(hello, { idempotencyKey: 'welcome/1' })
  const { error } = await resend.emails.send({ ...hello, subject: 'Other' }, { idempotencyKey: 'welcome/1' })
  expect(error).toMatchObject({ statusCode: 409, name: 'invalid_idempotent_request' })
  expect(await count()).toBe(1)
})

it('sends one email for simultaneous requests with one idempotency key', async () => {
  const sends = Array.from({ length: 10 }, () => resend.emails.send(hello, { idempotencyKey: 'welcome/1' }))
  const responses = await Promise.all(sends)
  expect(await count()).toBe(1)
  const failures = responses.flatMap(({ error }) => error?.name ?? [])
  expect(failures.every((name) => name === 'concurrent_idempotent_requests')).toBe(true)
})

it('keeps emails and idempotency keys across a restart', async () => {
  const { data } = await resend.emails.send(hello, { idempotencyKey: 'welcome/1' })
  await reopen()
  expect((await resend.emails.get(data?.id ?? '')).data).toMatchObject({ subject: 'Hello', text: 'Hi Anna' })
  expect((await resend.emails.send(hello, { idempotencyKey: 'welcome/1' })).data).toEqual(data)
  expect(await count()).toBe(1)
})

it('is emptied with its idempotency keys', async () => {
  await resend.emails.send(hello, { idempotencyKey: 'welcome/1' })
  expect((await call('/emails', 'DELETE')).status).toBe(200)
  expect(await count()).toBe(0)
  await resend.emails.send(hello, { idempotencyKey: 'welcome/1' })
  await reopen()
  expect(await count()).toBe(1)
})

it('finds emails by subject, addresses and content', async () => {
  await resend.emails.send({ ...hello, subject: 'Reset', to: 'ben@example.com', html: '<b>Needle</b>' })
  await resend.emails.send(hello)
  expect(await subjects('reset')).toEqual(['Reset'])
  expect(await subjects('BEN@')).toEqual(['Reset'])
  expect(await subjects('needle reset')).toEqual(['Reset'])
  expect(await subjects('needle hello')).toEqual([])
  expect(await subjects('purse.example')).toEqual(['Hello', 'Reset'])
})

it('shows emails on pages with their links, and runs no script of theirs', async () => {
  const link = 'https://purse.example/verify?a=1&b=2'
  const html = `<a href="${link}">Verify</a><script>alert(1)</script>`
  const mail = { ...hello, subject: '<i>Hello</i>', text: `Open ${link}.`, html }
  const { data } = await resend.emails.send(mail)
  for (const path of ['/', `/mails/${data?.id}`]) {
    const page = await call(path)
    const text = await page.text()
    expect(text).toContain('href="https://purse.example/verify?a=1&amp;b=2"')
    expect(text).toContain('&lt;i&gt;Hello&lt;/i&gt;')
    expect(text).not.toContain('<script')
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; (?!.*script-src)/)
  }
  expect((await call('/pico.css')).status).toBe(200)
  expect((await call('/mails/unknown')).status).toBe(404)
  expect(await (await call('/clear', 'POST')).text()).toContain('No emails yet.')
})

it('serves neither a name in the DNS nor a foreign page', async () => {
  const status = (headers: Record<string, string>) =>
    new Promise<number | undefined>((resolve) => {
      request(`${inbox.url}/faults`, { headers }, (response) => resolve(response.resume().statusCode)).end()
    })
  expect(await status({ host: 'rebound.example:8025' })).toBe(403)
  expect(await status({ origin: 'https://evil.example' })).toBe(403)
  expect(await status({ origin: 'http://203.0.113.9' })).toBe(403)
  expect(await status({ origin: 'http://localhost:5173' })).toBe(200)
})
