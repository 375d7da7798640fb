import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { openApi } from '../../dev/seed/api.ts'
import { demoUser } from '../../dev/seed/demo-user.ts'
import { accounts } from '../../dev/seed/habits.ts'
import { linkInMail } from './fixtures/client.ts'
import { runCommand } from './fixtures/run-command.ts'
import { newPlace, type Place, portVariables, projectDirectory, start, until } from './fixtures/stack.ts'

// The guides need a stack that `npm run seed` has filled, so most of what it does is tried here as well.
let place: Place
let firstSeed: Awaited<ReturnType<typeof runCommand>>

beforeAll(async () => {
  place = await newPlace()
  await start(place).ready()
  firstSeed = await runCommand('seed', { STATE_DIR: place.STATE_DIR })
})

test('commands find the running stack by its state folder, without its ports', async () => {
  expect(firstSeed.stdout).toContain(`export API=http://127.0.0.1:${place.PORT}/api `)
  const check = await runCommand('db-check', { STATE_DIR: place.STATE_DIR })
  expect(check.stdout, check.stderr).toContain('0 differences')
})

test('npm run seed fills a database once, and brings back nothing that was deleted', async () => {
  expect(firstSeed.stdout).toMatch(/^\nAdded \d+ transactions, the last year/)
  expect(firstSeed.code, firstSeed.stderr).toBe(0)

  const address = `http://127.0.0.1:${place.PORT}/api`
  const { access_token: token, email_verified } = body(await openApi(address)('POST /login', demoUser))
  expect(email_verified).toBe(true)
  const api = openApi(address, String(token))
  const { total, data } = body(await api('GET /transactions')) as { total: number; data: { id: number }[] }
  expect(firstSeed.stdout).toContain(`Added ${total} transactions`)
  expect(total).toBeGreaterThan(500)
  const summary = body(await api('GET /summary'))
  expect(summary.accounts).toHaveLength(accounts.length)
  expect(summary.monthly_summary).toMatchObject({ income: expect.any(Number), expense: expect.any(Number) })
  expect(summary.category_breakdown).toContainEqual({
    category_id: expect.any(Number),
    category_name: 'Housing',
    total: 1380,
  })
  expect(body(await api('GET /transactions?q=coat')).total).toBeGreaterThan(0)
  expect(body(await api('GET /transactions?category_id=none&type=expense')).total).toBeGreaterThan(0)

  await api(`DELETE /transactions/${data[0]?.id}`)
  const again = await runCommand('seed', place)
  expect(again.code, again.stderr).toBe(0)
  expect(again.stdout).toContain(
    `Already seeded: nothing was added to ${total - 1} transactions.\n1 were deleted here before and stay so. To start over, stop \`npm run dev\` and delete ${place.STATE_DIR}.`,
  )
  expect(body(await api('GET /transactions')).total).toBe(total - 1)
  const [, printed = ''] = /TOKEN='(\S+)'/.exec(again.stdout) ?? []
  expect((await openApi(address, printed)('GET /me')).status).toBe(200)
})

test('the first session of the README runs as it is pasted, after the line that the seed prints', async () => {
  const [session = ''] = blocksOf('README.md', '\n## A first session\n')
  const terminal = openTerminal(place)

  const [line = ''] = /^ +export .+$/m.exec(firstSeed.stdout) ?? []
  await terminal.paste(line)
  const first = (await terminal.paste(session)).join('\n')
  expect(first).toContain('"monthly_summary":{"income":')
  expect(first).toContain('Winter coat')
  expect(first).toContain('"amount":"84.30"')
  expect(first).toContain('"name":"Joint account"')
  expect(first).not.toContain('Potential duplicate')
  expect((await terminal.paste(session)).join('\n')).toContain('Potential duplicate detected.')
  await terminal.close()
})

test('the tour runs as it is pasted, on a database that other users share', async () => {
  const blocks = blocksOf('docs/tour.md', '')
  const [session = '', summary = '', reports = '', reported = ''] = blocks
  const [signIn = '', profile = '', reminder = '', sync = '', progress = ''] = blocks.slice(4)
  const [copy = '', offline = '', statement = '', cinema = '', rent = '', pocketMoney = ''] = blocks.slice(9)
  const [check = '', otherApp = '', leaving = '', script = '', address = '', ...others] = blocks.slice(15)
  expect(others).toEqual([])
  await takeTheFirstIds(place)
  const terminal = openTerminal(place)

  const shown = await terminal.paste(session)
  expect(withoutIds(shown.at(-1) ?? ''), shown.join('\n')).toEqual(withoutIds(summary))
  const [months, balances, today, days] = await terminal.paste(reports)
  expect(withoutDates(`[${months},${today}]`)).toEqual(withoutDates(reported))
  expect(JSON.parse(balances ?? '').points).toHaveLength(12)
  expect(days).toContain('"income":2500,"expense":84.3}')
  expect((await terminal.paste(sync)).at(-1)).toContain('sync: was not given')
  expect((await terminal.paste(statement)).at(-2)).toContain('Your email address is not verified.')

  const verification = await linkInMail(place, 'ada@example.com', /^Verify/)
  expect(new URL(verification).port).toBe(place.PORT)
  expect((await fetch(verification, { redirect: 'manual' })).status).toBe(302)
  expect((await terminal.paste(signIn)).at(-1)).toContain('login_hint=grace')
  expect((await terminal.paste(profile)).at(-1)).toContain('"timezone":"Europe/Paris"')
  const isReminded = async () =>
    (await terminal.paste(reminder)).at(-1)?.includes('Nothing recorded today') ?? false
  expect(await until(isReminded)).toBe(true)
  const { counts } = JSON.parse(progress)
  // Pasted again, it returns the same batch, which is processed after a while.
  const isDone = async () => (await terminal.paste(sync)).at(-1)?.includes(JSON.stringify(counts)) ?? false
  expect(await until(isDone)).toBe(true)
  const pulled = JSON.parse((await terminal.paste(copy)).at(-1) ?? '')
  expect(pulled.changes).toMatchObject([{ noun: 'account', data: { notes: 'Brown leather' } }])
  expect(pulled.balances).not.toEqual([])
  const uploads = (await terminal.paste(offline)).slice(-3).map((line) => JSON.parse(line).results)
  expect(uploads.map((results) => results.map(({ outcome }: { outcome: string }) => outcome))).toEqual([
    ['created', 'created', 'updated'],
    ['duplicate', 'duplicate', 'unchanged'],
    ['duplicate', 'duplicate', 'conflict'],
  ])
  const [dryRun, run, again] = (await terminal.paste(statement)).slice(-4)
  for (const first of [dryRun, run]) expect(first).toContain('"rows":2,"created":2,"duplicate":0')
  expect(again).toContain('"rows":2,"created":0,"duplicate":2')
  const [typed = '', booked, joined = ''] = (await terminal.paste(cinema)).slice(-3)
  expect(booked).toContain('"possible":1')
  expect(JSON.parse(joined)).toMatchObject({ id: JSON.parse(typed).id, booked_on: '2026-11-19' })
  const [changed = '', paid = '', upcoming = '', lowest] = (await terminal.paste(rent)).slice(-4)
  expect(Object.values(JSON.parse(changed).exceptions)).toMatchObject([{ amount: '980.00' }])
  expect(JSON.parse(paid)).toMatchObject({ amount: '980.00', description: 'Rent and heating' })
  const { occurrences } = JSON.parse(upcoming)
  expect(occurrences.slice(0, 2).map(({ state }: { state: string }) => state)).toEqual([
    'recorded',
    'upcoming',
  ])
  expect(lowest).toMatch(/^\[\{"account_id":\d+,"date":.*"due":\[\],"expected":\d+,"recorded_ahead":\d\}$/)
  const pocketed = (await terminal.paste(pocketMoney)).at(-1) ?? ''
  expect(pocketed.match(/"description":"Pocket money"/g)).toHaveLength(2)
  const checked = await terminal.paste(check)
  const [broken = '', , mended] = checked.slice(-3)
  expect(JSON.parse(broken)).toMatchObject({
    difference: -12.5,
    broken_by: [{ op: 'created', after: { amount: '12.50' }, by: { kind: 'session' } }],
  })
  expect(mended).toBe('"state":"ok"')
  const [preview, moved, opened] = await terminal.paste(otherApp)
  for (const response of [preview, moved])
    expect(response).toContain('"accounts_created":["Old bank","Rainy days"]')
  expect(opened).toMatch(/"name":"Old bank".*"balance":18.45.*"name":"Rainy days".*"balance":250/)
  const [json, journal, csv, readBack] = (await terminal.paste(leaving)).slice(-4)
  expect(json).toBe('"complete":true}')
  expect(journal).toMatch(/^; complete: [1-9]\d* transactions$/)
  expect(csv).toMatch(/^\d{4}-\d\d-\d\d,/)
  expect(readBack).toContain('"created":0,')

  const [read = '', refused, listed] = (await terminal.paste(script)).slice(-3)
  expect(JSON.parse(read)).toHaveProperty('monthly_summary')
  expect(refused).toContain('"code":"insufficient_scope"')
  expect(listed).toContain('"name":"Monthly report","abilities":["read"]')
  expect((await terminal.paste(address)).at(-1)).toContain('We have emailed a link to countess@example.com.')
  const change = await linkInMail(place, 'countess@example.com', /^Confirm your new/)
  expect((await fetch(change, { method: 'POST' })).status).toBe(200)
  expect((await terminal.paste('call me')).at(-1)).toContain('"email":"countess@example.com"')
  const restore = await linkInMail(place, 'ada@example.com', /has been changed/)
  expect((await fetch(restore, { method: 'POST' })).status).toBe(200)
  expect((await terminal.paste('as_script summary')).at(-1)).toContain('Unauthenticated.')
  await terminal.close()
})

test('the calls of docs/testing.md run as they are pasted', async () => {
  const [, values = '', register = '', mail = '', signInAtOnce = '', inboxFault = '', providerFault = ''] =
    blocksOf('docs/testing.md', '')
  const terminal = openTerminal(place)
  const last = async (block: string) => (await terminal.paste(block)).at(-1)

  await terminal.paste(values)
  await terminal.paste(register)
  expect(await last(mail)).toBe('302 http://localhost:5173/dashboard?verified=1')
  expect(await last(signInAtOnce)).toMatch(/^http:\/\/localhost:5173\/login\?token=.+&user=\d+$/)
  const shown = await terminal.paste(inboxFault)
  expect(shown.join('\n')).toContain('We have emailed your password reset link.')
  expect(shown.join('\n')).toMatch(/^Reset /m)
  expect((await terminal.paste(providerFault)).join('\n')).toMatch(
    /login\?error=.+&error_code=provider_error/,
  )
  await terminal.close()
})

test('docs/testing.md starts a stack with variables that exist', () => {
  const [started = ''] = blocksOf('docs/testing.md', '')
  for (const name of [...portVariables, 'STATE_DIR']) expect(started).toContain(`${name}=`)
})

function body(response: { body: unknown }): Record<string, unknown> {
  return response.body as Record<string, unknown>
}

/** The fenced blocks of a guide, or of one part of it. */
function blocksOf(file: string, heading: string): string[] {
  const text = readFileSync(path.join(projectDirectory, file), 'utf8')
  const part = heading ? text.split(heading)[1]?.split('\n## ')[0] : text
  return [...(part ?? '').matchAll(/```\w+\n([\s\S]+?)```/g)].map(([, block = '']) => block)
}

function withoutIds(json: string): unknown {
  return JSON.parse(json, (key, value) => (/(^|_)id$/.test(key) ? undefined : value))
}

function withoutDates(json: string): unknown {
  return withoutIds(json.replace(/"\d{4}-\d\d(-\d\d)?"/g, '""'))
}

async function takeTheFirstIds({ PORT }: Place): Promise<void> {
  const address = `http://127.0.0.1:${PORT}/api`
  const password = 'compiler1952'
  const grace = { name: 'Grace', email: 'grace@example.com', password, password_confirmation: password }
  const { body } = await openApi(address)('POST /register', grace)
  const { access_token } = body as { access_token: string }
  const account = { name: 'Checking', type: 'bank', starting_balance: 0 }
  expect((await openApi(address, access_token)('POST /accounts', account)).status).toBe(201)
}

/** An interactive bash, where a paste finds what earlier ones have left. */
function openTerminal({ PORT, MAIL_PORT, IDP_PORT }: Place) {
  const cwd = mkdtempSync(path.join(tmpdir(), 'purse session '))
  const env = { PATH: process.env.PATH, PS1: '', PS2: '' } as unknown as NodeJS.ProcessEnv
  // Detached, so that it cannot take over the terminal of whoever runs the tests.
  const bash = spawn('bash', ['--norc', '--noprofile', '--noediting', '-i'], { cwd, env, detached: true })
  let output = ''
  bash.stdout.on('data', (chunk) => {
    output += chunk
  })
  bash.stdin.write('exec 2>&1\n')
  return {
    /** The lines that appear. */
    async paste(block: string): Promise<string[]> {
      output = ''
      const own = block
        .replaceAll(/127\.0\.0\.1:1?8787/g, `127.0.0.1:${PORT}`)
        .replaceAll(/127\.0\.0\.1:1?8025/g, `127.0.0.1:${MAIL_PORT}`)
        .replaceAll('127.0.0.1:18026', `127.0.0.1:${IDP_PORT}`)
      bash.stdin.write(`${own}\necho 'That is all'\n`)
      expect(await until(() => output.endsWith('That is all\n')), output).toBe(true)
      return output.split('\n').slice(0, -2)
    },
    async close(): Promise<void> {
      bash.stdin.end()
      await once(bash, 'close')
      rmSync(cwd, { recursive: true })
    },
  }
}
