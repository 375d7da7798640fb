import { appendFile, mkdtemp, readFile, rm, truncate } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Resend } from 'resend'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startInbox } from '../../dev/inbox/server.ts'
import { UsedKeys } from '../../dev/inbox/used-keys.ts'

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

async function count(): Promise<number> {
  return (await (await call('/search')).json()).total
}

async function listedSubjects(options = {}): Promise<string[]> {
  const { data } = await resend.emails.list(options)
  return data?.data.map((mail) => mail.subject) ?? []
}

async function sendNumbered(subjects: string[]): Promise<string[]> {
  const ids: string[] = []
  for (const subject of subjects) ids.push((await resend.emails.send({ ...hello, subject })).data?.id ?? '')
  return ids
}

it('returns an email with its content, headers and attachments', async () => {
  const { data, error } = await resend.emails.send({
    ...hello,
    to: ['anna@example.com', 'Ben <ben@example.com>'],
    cc: 'carl@example.com',
    replyTo: 'help@purse.example',
    html: '<p>Hi Anna</p>',
    headers: { 'List-Unsubscribe': '<https://purse.example/u>' },
    tags: [{ name: 'kind', value: 'welcome' }],
    attachments: [{ filename: 'a.txt', content: Buffer.from('12345'), contentType: 'text/plain' }],
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
    tags: [{ name: 'kind', value: 'welcome' }],
    headers: { 'List-Unsubscribe': '<https://purse.example/u>' },
    attachments: [
      { filename: 'a.txt', content_type: 'text/plain', content_disposition: 'attachment', size: 5 },
    ],
  })
  const attachments = await resend.emails.attachments.list({ emailId: data?.id ?? '' })
  expect(attachments.data?.data).toMatchObject([{ filename: 'a.txt', size: 5 }])
  expect(new Date(mail.data?.created_at ?? '').getTime()).toBeGreaterThan(Date.parse('2026-01-01'))
})

it('lists emails newest first and without their content', async () => {
  await sendNumbered(['one', 'two', 'three'])
  const { data } = await resend.emails.list()
  expect(data).toMatchObject({ object: 'list', has_more: false })
  expect(data?.data.map((mail) => mail.subject)).toEqual(['three', 'two', 'one'])
  expect(data?.data[0]).not.toHaveProperty('text')
  expect(data?.data[0]).toMatchObject({ to: ['anna@example.com'], cc: null, bcc: null, reply_to: null })
})

it('pages through the list in both directions', async () => {
  const [one = '', , , four = ''] = await sendNumbered(['one', 'two', 'three', 'four'])
  expect((await resend.emails.list({ limit: 2 })).data).toMatchObject({ has_more: true })
  expect(await listedSubjects({ limit: 2 })).toEqual(['four', 'three'])
  expect(await listedSubjects({ limit: 2, after: four })).toEqual(['three', 'two'])
  expect(await listedSubjects({ limit: 2, before: one })).toEqual(['three', 'two'])
  expect((await resend.emails.list({ limit: 2, before: one })).data).toMatchObject({ has_more: true })
  expect((await resend.emails.list({ limit: 3, after: four })).data).toMatchObject({ has_more: false })
})

it('shows 20 emails on a page unless told otherwise', async () => {
  await resend.batch.send(Array.from({ length: 21 }, () => hello))
  expect(await listedSubjects()).toHaveLength(20)
  expect(await listedSubjects({ limit: 100 })).toHaveLength(21)
})

it.each([
  ['/emails?limit=0'],
  ['/emails?limit=101'],
  ['/emails?limit=x'],
  ['/emails?after=unknown'],
  ['/emails?after=a&before=b'],
])('refuses the page of %s', async (path) => {
  const response = await call(path, 'GET', undefined, { authorization: 'Bearer re_local' })
  expect(response.status).toBe(422)
  expect(await response.json()).toMatchObject({ name: 'validation_error' })
})

it('says that an email does not exist', async () => {
  const { error } = await resend.emails.get('4ef9a417-02e9-4d39-ad75-9611e0fcc33c')
  expect(error).toEqual({ statusCode: 404, name: 'not_found', message: 'Email not found' })
})

it.each([
  ['to', { to: [] }, 'missing_required_field', 'Missing `to` field.'],
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
  ['a tag with a space', { tags: [{ name: 'kind', value: 'a b' }] }],
  ['51 recipients', { to: Array.from({ length: 51 }, (_, index) => `p${index}@example.com`) }],
])('refuses %s', async (_what, change) => {
  const { error } = await resend.emails.send({ ...hello, ...change })
  expect(error).toMatchObject({ statusCode: 422, name: 'validation_error' })
  expect(await count()).toBe(0)
})

it('accepts 50 recipients', async () => {
  const to = Array.from({ length: 50 }, (_, index) => `p${index}@example.com`)
  expect((await resend.emails.send({ ...hello, to })).error).toBeNull()
})

it('requires an API key, as Resend does', async () => {
  for (const [path, method, body] of [
    ['/emails', 'POST', hello],
    ['/emails/batch', 'POST', [hello]],
    ['/emails', 'GET', undefined],
  ] as const) {
    const response = await call(path, method, body)
    expect(response.status).toBe(401)
    expect(await response.json()).toMatchObject({ statusCode: 401, name: 'missing_api_key' })
  }
  expect(await count()).toBe(0)
})

it('refuses a body that is not JSON', async () => {
  const headers = { authorization: 'Bearer re_local' }
  const response = await fetch(`${inbox.url}/emails`, { method: 'POST', headers, body: '{' })
  expect(response.status).toBe(400)
})

it('answers a batch in order', async () => {
  const { data } = await resend.batch.send([hello, { ...hello, subject: 'Second' }])
  const second = await resend.emails.get(data?.data[1]?.id ?? '')
  expect(second.data?.subject).toBe('Second')
})

it('accepts nothing of a batch with a bad email in it', async () => {
  const { error } = await resend.batch.send([hello, { ...hello, to: 'nobody' }])
  expect(error).toMatchObject({ statusCode: 422, name: 'validation_error' })
  expect(await count()).toBe(0)
})

it('accepts the good emails of a batch with permissive validation and names the bad ones', async () => {
  const { data } = await resend.batch.send([{ ...hello, to: 'nobody' }, hello], {
    batchValidation: 'permissive',
  })
  expect(data?.data).toHaveLength(1)
  expect(data?.errors).toEqual([{ index: 0, message: expect.stringContaining('`to`') }])
  expect(await count()).toBe(1)
})

it('accepts at most 100 emails in a batch', async () => {
  const { error } = await resend.batch.send(Array.from({ length: 101 }, () => hello))
  expect(error).toMatchObject({ statusCode: 422, name: 'validation_error' })
  expect(await count()).toBe(0)
})

it('gives the same request with the same idempotency key the same answer, without a second email', async () => {
  const first = await resend.emails.send(hello, { idempotencyKey: 'welcome/1' })
  const again = await resend.emails.send(hello, { idempotencyKey: 'welcome/1' })
  expect(again.data).toEqual(first.data)
  expect(await count()).toBe(1)
})

it('gives a repeated batch the same answer', async () => {
  const first = await resend.batch.send([hello, hello], { idempotencyKey: 'batch/1' })
  expect((await resend.batch.send([hello, hello], { idempotencyKey: 'batch/1' })).data).toEqual(first.data)
  expect(await count()).toBe(2)
})

it('refuses an idempotency key that was used for another email', async () => {
  await resend.emails.send(hello, { idempotencyKey: 'welcome/1' })
  const { error } = await resend.emails.send({ ...hello, subject: 'Other' }, { idempotencyKey: 'welcome/1' })
  expect(error).toMatchObject({ statusCode: 409, name: 'invalid_idempotent_request' })
  expect(await count()).toBe(1)
})

it('sends one email for simultaneous requests with one idempotency key', async () => {
  const sends = Array.from({ length: 10 }, () => resend.emails.send(hello, { idempotencyKey: 'welcome/1' }))
  const answers = await Promise.all(sends)
  expect(await count()).toBe(1)
  const failures = answers.flatMap(({ error }) => error?.name ?? [])
  expect(failures.every((name) => name === 'concurrent_idempotent_requests')).toBe(true)
})

it('releases the idempotency key of a refused email', async () => {
  await resend.emails.send({ ...hello, to: 'nobody' }, { idempotencyKey: 'welcome/1' })
  const { error } = await resend.emails.send(hello, { idempotencyKey: 'welcome/1' })
  expect(error).toBeNull()
})

it('refuses an idempotency key of more than 256 characters', async () => {
  const { error } = await resend.emails.send(hello, { idempotencyKey: 'k'.repeat(257) })
  expect(error).toMatchObject({ statusCode: 400, name: 'invalid_idempotency_key' })
})

it('forgets an idempotency key after 24 hours', () => {
  const keys = new UsedKeys()
  const noon = new Date('2026-11-20T12:00:00Z')
  const used = { scope: 'key', fingerprint: 'body', answer: { id: '1' }, usedAt: noon.toISOString() }
  keys.take('key', 'body', noon)
  keys.complete(used)
  expect(keys.take('key', 'body', new Date('2026-11-21T11:59:59Z'))).toEqual(used)
  expect(keys.take('key', 'other', new Date('2026-11-21T12:00:00Z'))).toBeUndefined()
})

it('keeps emails and idempotency keys across a restart', async () => {
  const { data } = await resend.emails.send(hello, { idempotencyKey: 'welcome/1' })
  await reopen()
  expect((await resend.emails.get(data?.id ?? '')).data).toMatchObject({ subject: 'Hello', text: 'Hi Anna' })
  expect((await resend.emails.send(hello, { idempotencyKey: 'welcome/1' })).data).toEqual(data)
  expect(await count()).toBe(1)
})

it('leaves out an email that a crash left incomplete and keeps the others', async () => {
  await sendNumbered(['whole', 'torn'])
  const file = join(directory, 'mails.jsonl')
  await inbox.close()
  await truncate(file, (await readFile(file)).length - 10)
  await open()
  expect(await listedSubjects()).toEqual(['whole'])
})

it('keeps an email written after an incomplete one', async () => {
  await sendNumbered(['whole'])
  await appendFile(join(directory, 'mails.jsonl'), '\n{"mails":[{"id":"to')
  await sendNumbered(['after'])
  await reopen()
  expect(await listedSubjects()).toEqual(['after', 'whole'])
})

it('keeps every email of a burst that makes it tidy up its file', async () => {
  const html = 'x'.repeat(400_000)
  const send = (index: number) =>
    resend.emails.send({ ...hello, html, subject: `${index}` }, { idempotencyKey: `${index}` })
  const answers = await Promise.all(Array.from({ length: 30 }, (_, index) => send(index)))
  await reopen()
  expect(await count()).toBe(30)
  const again = await Promise.all(Array.from({ length: 30 }, (_, index) => send(index)))
  expect(again.map(({ data }) => data)).toEqual(answers.map(({ data }) => data))
})

it('keeps the newest 1,000 emails', async () => {
  await sendNumbered(['oldest'])
  for (let batch = 0; batch < 10; batch++) await resend.batch.send(Array.from({ length: 100 }, () => hello))
  expect(await count()).toBe(1_000)
  await reopen()
  expect(await count()).toBe(1_000)
  expect((await (await call('/search?q=oldest')).json()).mails).toEqual([])
})

it('is emptied with its idempotency keys', async () => {
  await resend.emails.send(hello, { idempotencyKey: 'welcome/1' })
  expect((await call('/emails', 'DELETE')).status).toBe(200)
  expect(await count()).toBe(0)
  await resend.emails.send(hello, { idempotencyKey: 'welcome/1' })
  await reopen()
  expect(await count()).toBe(1)
})

it('fails as many sends as it is told to', async () => {
  await call('/faults', 'POST', { status: 500, times: 2 })
  for (let send = 0; send < 2; send++) {
    expect((await resend.emails.send(hello)).error).toMatchObject({
      statusCode: 500,
      name: 'application_error',
    })
  }
  expect((await resend.emails.send(hello)).error).toBeNull()
  expect(await count()).toBe(1)
})

it('limits the rate until it is reset', async () => {
  await call('/faults', 'POST', { status: 429 })
  for (let send = 0; send < 3; send++) {
    const { error, headers } = await resend.batch.send([hello])
    expect(error).toMatchObject({ statusCode: 429, name: 'rate_limit_exceeded' })
    expect(headers?.['retry-after']).toBe('1')
  }
  await call('/faults', 'DELETE')
  expect((await resend.batch.send([hello])).error).toBeNull()
})

it('leaves a send without an answer until it is reset', async () => {
  await call('/faults', 'POST', { hang: true })
  const send = resend.emails.send(hello)
  await expect.poll(async () => (await (await call('/faults')).json()).hanging).toBe(1)
  await call('/faults', 'DELETE')
  expect((await send).error).toMatchObject({ name: 'application_error', statusCode: null })
  expect(await count()).toBe(0)
})

it('loses the answer for an email it kept, which the idempotency key then makes up for', async () => {
  await call('/faults', 'POST', { status: 500, times: 1, keep: true })
  const options = { idempotencyKey: 'welcome/1' }
  expect((await resend.emails.send(hello, options)).error).toMatchObject({ statusCode: 500 })
  expect(await count()).toBe(1)
  expect((await resend.emails.send(hello, options)).data?.id).toEqual(expect.any(String))
  expect(await count()).toBe(1)
})

it.each([[{ status: 418 }], [{ times: 0 }], [[]]])('refuses the fault %j', async (order) => {
  expect((await call('/faults', 'POST', order)).status).toBe(422)
})

it('finds emails by subject, addresses and content', async () => {
  await resend.emails.send({ ...hello, subject: 'Reset', to: 'ben@example.com', html: '<b>Needle</b>' })
  await resend.emails.send(hello)
  const found = async (question: string) => {
    const { mails } = await (await call(`/search?q=${encodeURIComponent(question)}`)).json()
    return mails.map((mail: { subject: string }) => mail.subject)
  }
  expect(await found('reset')).toEqual(['Reset'])
  expect(await found('BEN@')).toEqual(['Reset'])
  expect(await found('needle reset')).toEqual(['Reset'])
  expect(await found('needle hello')).toEqual([])
  expect(await found('purse.example')).toEqual(['Hello', 'Reset'])
})

it('notifies an open page of a new email', async () => {
  const changes = await call('/changes')
  const reader = changes.body?.pipeThrough(new TextDecoderStream()).getReader()
  await reader?.read()
  await resend.emails.send(hello)
  expect((await reader?.read())?.value).toContain('data: changed')
})

it('serves a page that may run its own script and no other', async () => {
  const page = await call('/')
  const html = await page.text()
  const policy = page.headers.get('content-security-policy')
  expect(policy).toContain("default-src 'none'; script-src 'self';")
  expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|\son\w+=/)
  for (const [, path = ''] of html.matchAll(/(?:src|href)="(\/[^"]*)"/g)) {
    expect((await call(path)).status).toBe(200)
  }
})

it('answers its health check', async () => {
  expect((await call('/health')).status).toBe(200)
})

it('does not answer for a name in the DNS, nor to a foreign page', async () => {
  const status = (headers: Record<string, string>) =>
    new Promise<number | undefined>((resolve) => {
      request(`${inbox.url}/search`, { headers }, (response) => resolve(response.resume().statusCode)).end()
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
