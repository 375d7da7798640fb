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

it('lists 20 emails unless it is given a limit, and says whether there are more', async () => {
  await send(...Array.from({ length: 21 }, (_, index) => `${index}`))
  const list = async (options = {}) => (await resend.emails.list(options)).data
  expect([(await list())?.data.length, (await list())?.has_more]).toEqual([20, true])
  const all = await list({ limit: 21 })
  expect([all?.data.length, all?.has_more]).toEqual([21, false])
})

it('says that an email does not exist', async () => {
  const { error } = await resend.emails.get('4ef9a417-02e9-4d39-ad75-9611e0fcc33c')
  expect(error).toEqual({ statusCode: 404, name: 'not_found', message: 'Email not found' })
})

it.each([
  ['to', { to: '' }, 'missing_required_field', 'Missing `to` field.'],
  ['html and text', { text: undefined }, 'validation_error', 'Missing `html` or `text` field.'],
  ['subject', { subject: '' }, 'missing_required_field', 'Missing `subject` field.'],
  ['from', { from: '' }, 'missing_required_field', 'Missing `from` field.'],
])('requires %s', async (_field, change, name, message) => {
  const { error } = await resend.emails.send({ ...hello, ...change } as typeof hello)
  expect(error).toEqual({ statusCode: 422, name, message })
  expect(await count()).toBe(0)
})

it.each([
  ['an address without a domain', { to: 'anna' }],
  ['a sender that is no address', { from: 'Purse' }],
  ['a sender with two lines', { from: 'Purse\r\nBcc: x@example.com <no-reply@purse.example>' }],
  ['a subject with two lines', { subject: 'Hello\nBcc: eve@example.com' }],
  ['a header with two lines', { headers: { 'X-A': 'a\r\nBcc: eve@example.com' } }],
  ['51 recipients', { to: Array.from({ length: 51 }, (_, index) => `p${index}@example.com`) }],
])('refuses %s', async (_what, change) => {
  const { error } = await resend.emails.send({ ...hello, ...change })
  expect(error).toMatchObject({ statusCode: 422, name: 'validation_error' })
  expect(await count()).toBe(0)
})

it('requires an API key, as Resend does', async () => {
  for (const [path, method, body] of [
    ['/emails', 'POST', hello],
    ['/emails', 'GET', undefined],
  ] as const) {
    const response = await call(path, method, body)
    expect(response.status).toBe(401)
    expect(await response.json()).toMatchObject({ statusCode: 401, name: 'missing_api_key' })
  }
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

it('keeps the newest 1,000 emails', async () => {
  await send('oldest')
  for (let hundred = 0; hundred < 10; hundred++)
    await Promise.all(Array.from({ length: 100 }, () => resend.emails.send(hello)))
  expect(await subjects('oldest')).toEqual([])
  expect(await subjects('hello')).toHaveLength(100)
})

it('is emptied with its idempotency keys', async () => {
  await resend.emails.send(hello, { idempotencyKey: 'welcome/1' })
  expect((await call('/emails', 'DELETE')).status).toBe(200)
  expect(await count()).toBe(0)
  await resend.emails.send(hello, { idempotencyKey: 'welcome/1' })
  await reopen()
  expect(await count()).toBe(1)
})

it.each([[{ status: 200 }], [{ times: 0 }], [[]]])('refuses the fault %j', async (order) => {
  expect((await call('/faults', 'POST', order)).status).toBe(422)
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

it('says that its port is taken', async () => {
  const port = Number(new URL(inbox.url).port)
  await expect(startInbox({ port, directory })).rejects.toMatchObject({ code: 'EADDRINUSE' })
})
