import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, BrowserContext } from 'playwright-core'
import type { FarNetwork, Traffic } from './far-network.ts'

/** What one thing that a person does costs: until it is shown, and until the network is quiet. */
export type Cost = Traffic & {
  ms: number
  /** The longest task of the page's main thread, in processor time, which other processes do not lengthen. */
  longestTaskMs: number
  heapBytes: number
}

export const actions = ['first copy', 'reload', 'search', 'add', 'another tab'] as const
export type Action = (typeof actions)[number]

type Place = {
  browser: Browser
  network: FarNetwork
  /** The address of the app. */
  app: string
  household: { token: string; userId: number }
  /** How many times slower than this machine the device is. */
  slowdown: number
}

const patienceMs = 600_000
/** The app syncs a tenth of a second after a change. */
const quietMs = 1_000
/** Finds amounts as well, and stays on screen while rows are added. */
const searched = 'croissant 300'

/** Does everything once on a new device, and returns what each thing costs. */
export async function measureDevice(place: Place): Promise<Map<Action, Cost>> {
  const context = await newContext(place)
  try {
    return await measureIn(context, place)
  } finally {
    await context.close()
  }
}

async function newContext({ browser, household }: Place): Promise<BrowserContext> {
  // The app's files are no part of what is measured.
  const context = await browser.newContext({ serviceWorkers: 'block', locale: 'en-GB' })
  context.setDefaultTimeout(patienceMs)
  const { token, userId } = household
  await context.addInitScript(`
    localStorage.setItem('purse.token', ${JSON.stringify(token)})
    localStorage.setItem('purse.user', '${userId}')
    globalThis.shown = (isShown) => new Promise((resolve) => {
      const observer = new MutationObserver(look)
      function look() {
        if (!isShown()) return
        observer.disconnect()
        resolve(performance.timeOrigin + performance.now())
      }
      observer.observe(document, { subtree: true, childList: true, characterData: true })
      look()
    })`)
  return context
}

async function measureIn(context: BrowserContext, { network, app, slowdown }: Place) {
  const costs = new Map<Action, Cost>()
  const tab = await openTab(context, slowdown)
  const measure = async (action: Action, tab: Tab, work: () => Promise<Times>) => {
    network.traffic()
    await tab.beginTrace()
    const { from, to } = await work()
    await sleep(quietMs)
    const longestTaskMs = await tab.endTrace()
    const heapBytes = await tab.heapBytes()
    costs.set(action, { ms: to - from, ...network.traffic(), longestTaskMs, heapBytes })
  }
  await measure('first copy', tab, () => tab.load(`${app}/transactions`))
  await measure('reload', tab, () => tab.load(`${app}/transactions`))
  await measure('search', tab, () => tab.search(searched))
  await measure('add', tab, () => tab.add(nextDescription()))
  const other = await openTab(context, slowdown)
  await other.load(`${app}/transactions?${new URLSearchParams({ q: searched })}`)
  await sleep(quietMs)
  await measure('another tab', other, async () => {
    const description = nextDescription()
    const shown = other.shows(description)
    const { from } = await tab.add(description)
    return { from, to: await shown }
  })
  return costs
}

/** Milliseconds since 1970. */
type Times = { from: number; to: number }
type Tab = Awaited<ReturnType<typeof openTab>>

let tabs = 0

async function openTab(context: BrowserContext, slowdown: number) {
  const page = await context.newPage()
  const cdp = await context.newCDPSession(page)
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
  const mark = `tab ${++tabs}`
  const trace = await traceOf(context)

  return {
    beginTrace: trace.begin,

    async endTrace(): Promise<number> {
      await page.evaluate((name) => performance.mark(name), mark)
      return trace.longestTaskMs(mark)
    },

    async heapBytes(): Promise<number> {
      await cdp.send('HeapProfiler.collectGarbage')
      return (await cdp.send('Runtime.getHeapUsage')).usedSize
    },

    /** Opens a page of the app, until it shows transactions. */
    async load(url: string): Promise<Times> {
      const from = Date.now()
      await page.goto(url)
      return { from, to: await page.evaluate(() => shown(() => document.querySelector('.day') !== null)) }
    },

    shows: (text: string): Promise<number> =>
      page.evaluate((text) => shown(() => document.body.textContent.includes(text)), text),

    /** Types a search, until its rows are counted. */
    async search(text: string): Promise<Times> {
      const input = page.getByLabel('Search')
      await input.focus()
      await sleep(quietMs)
      return input.evaluate(async (input: HTMLInputElement, text) => {
        const count = () => document.querySelector('main [role=status]')?.textContent
        const before = count()
        input.value = text
        const from = performance.timeOrigin + performance.now()
        input.dispatchEvent(new InputEvent('input', { bubbles: true }))
        return { from, to: await shown(() => count() !== before) }
      }, text)
    },

    /** Records an expense, from its last click until it is listed. */
    async add(description: string): Promise<Times> {
      await page.getByRole('button', { name: 'Add transaction', exact: true }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Amount').fill(`${added}.25`)
      await dialog.getByLabel('Description').fill(description)
      await dialog.getByLabel('Category').selectOption({ index: 1 })
      return page.evaluate(async (text) => {
        const from = performance.timeOrigin + performance.now()
        document.querySelector<HTMLFormElement>('dialog form')?.requestSubmit()
        return {
          from,
          to: await shown(() => document.querySelector('main')?.textContent?.includes(text) ?? false),
        }
      }, description)
    },
  }
}

let added = 0
const nextDescription = () => `${searched} ${++added}.`

/** The addition to the pages that resolves with the time at which a condition holds. */
declare const shown: (isShown: () => boolean) => Promise<number>

/** What is used of one: `tdur` is processor time in microseconds. */
type TraceEvent = { name: string; cat: string; pid: number; tid: number; tdur?: number }

/** Traces the tasks of all pages of a browser. */
async function traceOf(context: BrowserContext) {
  const browser = context.browser()
  if (!browser) throw new Error('The context has no browser.')
  const cdp = await browser.newBrowserCDPSession()
  const events: object[] = []
  cdp.on('Tracing.dataCollected', ({ value }) => events.push(...value))
  return {
    async begin(): Promise<void> {
      events.length = 0
      const includedCategories = ['disabled-by-default-devtools.timeline', 'blink.user_timing']
      await cdp.send('Tracing.start', { traceConfig: { includedCategories }, transferMode: 'ReportEvents' })
    },

    /** The longest task on the thread that has made this mark. */
    async longestTaskMs(mark: string): Promise<number> {
      const complete = new Promise((resolve) => cdp.once('Tracing.tracingComplete', resolve))
      await cdp.send('Tracing.end')
      await complete
      const traced = events as TraceEvent[]
      const own = traced.find(({ name, cat }) => name === mark && cat.includes('user_timing'))
      const tasks = traced.filter(
        ({ name, pid, tid }) => name === 'RunTask' && pid === own?.pid && tid === own.tid,
      )
      return Math.max(0, ...tasks.map(({ tdur = 0 }) => tdur / 1_000))
    },
  }
}
