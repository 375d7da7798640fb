import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import type { BrowserContext, Page } from 'playwright-core'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import type { LedgerStorage } from '../../client/storage.ts'
import { buildClientPackage, clientModule, clientPackage } from '../../dev/client-package.ts'
import { hasBrowser, servePage, useBrowser } from './fixtures/browser.ts'
import { clientOf, registration } from './fixtures/client.ts'
import { patienceMs } from './fixtures/example-app.ts'
import { projectDirectory, sharedPlace } from './fixtures/stack.ts'

const browser = useBrowser()

beforeAll(() => buildClientPackage())

/** A profile of its own, gone after the test. */
async function newContext(): Promise<BrowserContext> {
  const context = await browser().newContext()
  onTestFinished(() => context.close())
  return context
}

test('the client brings only the contract of the server to a page, and is as small as its guide says', async () => {
  const names = exportsOf(await bundle(`export * from '${clientModule}'`))
  expect(names).toContain('localLedger')
  const without = async (left: RegExp) => {
    const kept = names.filter((name) => !left.test(name))
    return sizeOf(await bundle(`export { ${kept.join(', ')} } from '${clientModule}'`))
  }
  // A browser has no SQLite, and a page that restores an export is rare.
  const bytes = {
    withoutLedger: await without(/Ledger|sqlite|restore/i),
    withLedger: await without(/sqlite|restore/i),
  }
  console.log(
    `The client, minified and gzipped: ${bytes.withoutLedger} bytes, with a ledger ${bytes.withLedger}`,
  )
  const guide = await readFile(path.join(projectDirectory, 'docs/client.md'), 'utf8')
  const [, small, large] = /up to (\d+) KiB gzipped to an app, with the ledger (\d+) KiB/.exec(guide) ?? []
  for (const [size, documented] of [
    [bytes.withoutLedger, small],
    [bytes.withLedger, large],
  ] as const) {
    expect(size).toBeLessThanOrEqual(1_024 * Number(documented))
    expect(size).toBeGreaterThan(1_024 * (Number(documented) - 4))
  }
  const { inputs } = (await bundle(`export * from './client/index.ts'`)).metafile
  const own = [
    /^client\//,
    /^src\/(domain|failures)\//,
    /^src\/identity\/(addresses|password-length|user-fields)\.ts$/,
    /^src\/[\w-]+\/([a-z]+-)?(contract(-rules)?|cursor)\.ts$/,
    /^node_modules\/(hono\/dist\/(client|utils)|zod\/(mini|v4))\//,
  ]
  const isOwn = (name: string) => own.some((pattern) => pattern.test(name))
  expect(Object.keys(inputs).filter((name) => !isOwn(name))).toEqual(['<stdin>'])
})

/** What a page with these contents loads, including what they need of hono and zod. */
function bundle(contents: string) {
  return build({
    stdin: { contents, resolveDir: projectDirectory },
    absWorkingDir: projectDirectory,
    bundle: true,
    minify: true,
    format: 'esm',
    write: false,
    metafile: true,
  })
}

type Bundle = Awaited<ReturnType<typeof bundle>>
const exportsOf = ({ metafile }: Bundle) => Object.values(metafile.outputs).flatMap(({ exports }) => exports)
const sizeOf = ({ outputFiles }: Bundle) => gzipSync(outputFiles[0]?.contents ?? '').length

test('the package says what it is for, and works with the hono and zod that an app has', async () => {
  const read = (name: string) => readFile(path.join(clientPackage, name), 'utf8')
  const readme = await read('README.md')
  const links = [...readme.matchAll(/\]\((?!https?:)([^)]+)\)/g)].map(([, link = '']) => link)
  expect(links.filter((link) => !existsSync(path.join(clientPackage, link)))).toEqual([])
  expect(readme).toContain('examples/ledger.ts')
  const { version, dependencies } = JSON.parse(await read('package.json'))
  expect(version).toBe(
    JSON.parse(await readFile(path.join(projectDirectory, 'package.json'), 'utf8')).version,
  )
  const atLeast = expect.stringMatching(/^\^\d+\.\d+\.\d+$/)
  expect(dependencies).toEqual({ hono: atLeast, zod: atLeast })
})

test.skipIf(!hasBrowser)(
  'the example’s form clears a mark when its field is changed, and an edit after a lost response reaches the row',
  async () => {
    const { place, api, token, user, expense } = await setUp('forms@example.com')
    const category_id = (await api('GET', '/categories', undefined, token)).body[0].id
    const page = await servePage(`
      import { recordExpense, signIn } from './spa.ts'
      globalThis.example = () => ({ recordExpense, signIn })`)
    try {
      const tab = await (await newContext()).newPage()
      let isLosing = false
      await tab.route('http://127.0.0.1:8787/**', async (route) => {
        const url = route.request().url().replace(':8787', `:${place.PORT}`)
        const response = await route.fetch({ url })
        await (isLosing ? route.abort() : route.fulfill({ response }))
      })
      await tab.goto(page.url)
      await tab.setContent(formOf({ ...user, ...expense, category_id, description: 'Typo', amount: '-1' }))
      const record = () => tab.evaluate(() => example().recordExpense(document.forms[0] as HTMLFormElement))
      const isValid = () => tab.evaluate(() => document.forms[0]?.checkValidity())
      await tab.evaluate(() => example().signIn(document.forms[0] as HTMLFormElement))
      await record()
      expect(await isValid()).toBe(false)
      await tab.fill('[name=amount]', '3.20')
      expect(await isValid()).toBe(true)
      isLosing = true
      await record()
      isLosing = false
      await tab.fill('[name=amount]', '4.20')
      await record()
      const { data } = (await api('GET', '/transactions', undefined, token)).body
      expect(data.map((row: { amount: string }) => row.amount)).toEqual(['4.20'])
    } finally {
      page.close()
    }
  },
)

test.skipIf(!hasBrowser)(
  'two tabs of a real browser keep one ledger offline, and what both have done is stored once',
  async () => {
    const { place, api, token, user, userId, expense } = await setUp('ledger@example.com')
    const category_id = (await api('GET', '/categories', undefined, token)).body[0].id
    const page = await servePage(`
      import { createClient, indexedDbStorage, localLedger, webStorageTokens } from 'purse-client'
      const baseUrl = 'http://127.0.0.1:${place.PORT}'
      const client = createClient({ baseUrl, tokens: webStorageTokens(localStorage) })
      globalThis.book = async () => ({
        client,
        ledger: await (globalThis.opened ??= localLedger({ client, storage: indexedDbStorage('purse'), userId: ${userId} })),
      })`)
    try {
      const context = await newContext()
      const [one, two] = [await context.newPage(), await context.newPage()]
      for (const tab of [one, two]) await tab.goto(page.url)
      const { email, password } = user
      await one.evaluate(async (credentials) => (await book()).client.signIn(credentials), {
        email,
        password,
      })
      const sync = (tab: Page) => tab.evaluate(async () => (await book()).ledger.sync())
      const balances = async (tab: Page) =>
        (await tab.evaluate(async () => (await book()).ledger.accounts())).map(({ balance }) => balance)
      expect(await sync(one)).toMatchObject({ stopped: null })
      await expect.poll(() => balances(two), { timeout: patienceMs }).toEqual([0])
      await context.setOffline(true)
      for (const [tab, amount] of [[one, '1.00'] as const, [two, '2.50'] as const]) {
        const item = { ...expense, category_id, amount }
        await tab.evaluate(async (item) => (await book()).ledger.create('transaction', item), item)
      }
      // Each has notified the other.
      for (const tab of [one, two])
        await expect.poll(() => balances(tab), { timeout: patienceMs }).toEqual([-3.5])
      expect(await sync(two)).toMatchObject({ waiting: 2, stopped: { reason: 'offline' } })
      await one.close()
      await context.setOffline(false)
      await two.goto(page.url)
      expect(await balances(two)).toEqual([-3.5])
      expect(await sync(two)).toMatchObject({ sent: 2, waiting: 0, stopped: null })
      expect(await balances(two)).toEqual([-3.5])
    } finally {
      page.close()
    }
    const { body } = await api('GET', '/accounts', undefined, token)
    expect(body.map(({ balance }: { balance: number }) => balance)).toEqual([-3.5])
  },
)

test.skipIf(!hasBrowser)(
  'the IndexedDB storage lists keys with the same prefix in order, outlives its page, refuses what there is no room for, and reconnects after it was closed',
  async () => {
    const page = await servePage(`
      import { indexedDbStorage } from 'purse-client'
      globalThis.storage = indexedDbStorage('of a test')`)
    try {
      const tab = await (await newContext()).newPage()
      await tab.goto(page.url)
      const cdp = await tab.context().newCDPSession(tab)
      await cdp.send('Storage.overrideQuotaForOrigin', {
        origin: new URL(page.url).origin,
        quotaSize: 1_000_000,
      })
      await tab.evaluate(async () => {
        await Promise.all(
          ['a/2', 'b/1', 'a/1', 'a/10', 'ab'].map((key) => storage.write([[key, `value of ${key}`]])),
        )
        await storage.write([
          ['a/2', 'changed'],
          ['a/10', null],
          ['nothing of this name', null],
          ['a/3', 'value of a/3'],
          ['a/1', 'written'],
        ])
        await storage.write([
          ['a/3', null],
          ['a/1', 'value of a/1'],
        ])
      })
      const listed = [
        ['a/1', 'value of a/1'],
        ['a/2', 'changed'],
      ]
      expect(await tab.evaluate(() => storage.list('a/'))).toEqual(listed)
      await tab.reload()
      expect(await tab.evaluate(() => storage.list('a/'))).toEqual(listed)
      expect(await tab.evaluate(() => storage.list('c'))).toEqual([])
      expect(await tab.evaluate(() => storage.list('a/', { limit: 1 }))).toEqual(listed.slice(0, 1))
      const rest = await tab.evaluate(() => storage.list('a/', { after: 'a/1', limit: 9 }))
      expect(rest).toEqual(listed.slice(1))

      const refusal = await tab.evaluate(() => {
        // The browser gets many values one after another, and keeps all or none.
        const many = Array.from({ length: 20 }, (_, nth): [string, string] => [`a/1/${nth}`, 'many'])
        const large: [string, string | null][] = [['a/1', null], ...many, ['a/4', 'x'.repeat(10_000_000)]]
        return storage.write(large).catch((error) => error.name)
      })
      expect(refusal).toBe('QuotaExceededError')
      expect(await tab.evaluate(() => storage.list('a/'))).toEqual(listed)

      await tab.evaluate(async () => {
        const { promise, resolve } = Promise.withResolvers<unknown>()
        indexedDB.deleteDatabase('of a test').onsuccess = resolve
        await promise
        await storage.write([['a/3', 'new']])
      })
      expect(await tab.evaluate(() => storage.list(''))).toEqual([['a/3', 'new']])
      const kept = await tab.evaluate(async () => {
        const all = Array.from({ length: 30 }, (_, nth) => `many/${nth + 10}`)
        await storage.write(all.map((key) => [key, key]))
        await storage.write(all.slice(3).map((key) => [key, null]))
        return storage.list('many/')
      })
      expect(kept.map(([key]) => key)).toEqual(['many/10', 'many/11', 'many/12'])
    } finally {
      page.close()
    }
  },
)

test.skipIf(!hasBrowser)(
  'on a page without TLS, in an older browser, what is recorded is stored as well',
  async () => {
    const { place, api, token, user, userId, expense } = await setUp('plain@example.com')
    const page = await servePage(`
      import { createClient, indexedDbStorage, localLedger } from 'purse-client'
      const client = createClient({ baseUrl: location.origin })
      globalThis.book = async () => ({
        client,
        ledger: await (globalThis.opened ??= localLedger({ client, storage: indexedDbStorage('purse'), userId: ${userId} })),
      })`)
    try {
      const tab = await (await newContext()).newPage()
      await tab.addInitScript(() => {
        Reflect.deleteProperty(AbortSignal, 'timeout')
        Reflect.deleteProperty(AbortSignal, 'any')
      })
      await tab.route('**/api/**', async (route) => {
        const { pathname, search } = new URL(route.request().url())
        await route.fulfill({
          response: await route.fetch({ url: `http://127.0.0.1:${place.PORT}${pathname}${search}` }),
        })
      })
      await tab.goto(page.url.replace('localhost', 'phone.test'))
      expect(await tab.evaluate(() => [isSecureContext, 'randomUUID' in crypto])).toEqual([false, false])
      const { email, password } = user
      await tab.evaluate(async (credentials) => (await book()).client.signIn(credentials), {
        email,
        password,
      })
      const item = { ...expense, category_id: (await api('GET', '/categories', undefined, token)).body[0].id }
      const key = await tab.evaluate(async (item) => (await book()).ledger.create('transaction', item), item)
      expect(key.slice(1)).toMatch(uuid)
      const report = await tab.evaluate(async () => (await book()).ledger.sync())
      expect(report).toMatchObject({ sent: 1, stopped: null })
    } finally {
      page.close()
    }
    expect((await api('GET', '/transactions', undefined, token)).body.total).toBe(1)
  },
)

/** Random (RFC 9562, version 4). */
const uuid = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/

/** A user of the shared stack and an account of theirs. */
async function setUp(email: string) {
  const place = await sharedPlace()
  const api = clientOf(place)
  const user = registration(email)
  const { access_token: token, user: registered } = (await api('POST', '/register', user)).body
  const account = { name: 'Wallet', type: 'cash', starting_balance: 0 }
  const { id: account_id } = (await api('POST', '/accounts', account, token)).body
  const expense = { account_id, type: 'expense', amount: '1.00', transaction_date: '2026-11-20' }
  return { place, api, token: token as string, user, userId: registered.id as number, expense }
}

function formOf(values: Record<string, unknown>): string {
  const inputs = Object.entries(values).map(([name, value]) => `<input name="${name}" value="${value}">`)
  return `<form>${inputs.join('')}</form>`
}

/** What the examples' page offers. */
declare function example(): {
  signIn: (form: HTMLFormElement) => Promise<void>
  recordExpense: (form: HTMLFormElement) => Promise<void>
}

/** What the page of a ledger offers. */
declare function book(): Promise<{
  client: { signIn: (credentials: object) => Promise<unknown> }
  ledger: {
    create: (noun: string, fields: object) => Promise<string>
    sync: () => Promise<object>
    accounts: () => { balance: number }[]
  }
}>

declare const storage: LedgerStorage
