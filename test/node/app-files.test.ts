import { readFileSync } from 'node:fs'
import path from 'node:path'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { projectDirectory } from './fixtures/stack.ts'

const source = readFileSync(path.join(projectDirectory, 'examples/app/src/service-worker.js'), 'utf8')
const origin = 'https://purse.example'
const [script, style] = ['/assets/index-NEW.js', '/assets/index-NEW.css']
const page = `<script type="module" src="${script}"></script><link rel="stylesheet" href="${style}">`
/** What the service answers once it is whole. */
const whole: Record<string, [type: string, body: string]> = {
  '/': ['text/html; charset=utf-8', page],
  '/icon.svg': ['image/svg+xml', '<svg/>'],
  '/manifest.webmanifest': ['application/manifest+json', '{}'],
  [script]: ['text/javascript', 'start()'],
  [style]: ['text/css', 'body{}'],
}
const answer = (status: number, type: string, body = '') =>
  new Response(body, { status, headers: { 'Content-Type': type } })
const good = (file: string) => answer(200, ...(whole[file] as [string, string]))
const redirected = (file: string) => Object.defineProperty(good(file), 'redirected', { value: true })

/** Runs the service worker in a browser whose network answers as `network` says. */
function browserWith(network: { answer: (file: string) => Response }) {
  const stored = new Map<string, Map<string, Response>>()
  const open = (name: string) => stored.get(name) ?? stored.set(name, new Map()).get(name)
  const listeners: Record<string, (event: object) => void> = {}
  const fileOf = (request: string | { url: string }) =>
    typeof request === 'string' ? request : new URL(request.url).pathname
  const caches = {
    open: async (name: string) => ({
      put: async (file: string, response: Response) => void open(name)?.set(file, response),
    }),
    keys: async () => [...stored.keys()],
    delete: async (name: string) => stored.delete(name),
    match: async (request: string | { url: string }, { cacheName }: { cacheName: string }) =>
      stored.get(cacheName)?.get(fileOf(request))?.clone(),
  }
  const self = {
    location: { origin },
    skipWaiting: async () => {},
    clients: { claim: async () => {} },
    addEventListener: (name: string, listener: (event: object) => void) => {
      listeners[name] = listener
    },
  }
  // A browser has few connections to a host, and an answer that is not read to its end keeps one.
  let unread = 0
  const waiting: (() => void)[] = []
  const fetch = async (request: string | { url: string }) => {
    if (unread >= 2) await new Promise<void>((resolve) => waiting.push(resolve))
    unread += 1
    const response = network.answer(fileOf(request))
    const body = await response.clone().blob()
    const read = () => {
      unread -= 1
      waiting.shift()?.()
      return Promise.resolve(body)
    }
    return Object.assign(response, { blob: read })
  }
  const kept = { version: '1', files: Object.keys(whole) }
  runInNewContext(`const kept = ${JSON.stringify(kept)}\n${source}`, { self, caches, fetch, URL, Response })
  const dispatch = async (name: string, event = {}) => {
    let result: unknown
    const take = (promise: unknown) => {
      result = promise
    }
    listeners[name]?.({ ...event, waitUntil: take, respondWith: take })
    return (await result) as Response
  }
  return {
    stored,
    install: async () => {
      await dispatch('install')
      await dispatch('activate')
    },
    load: (file: string, mode = 'no-cors') =>
      dispatch('fetch', { request: { method: 'GET', mode, url: origin + file } }),
  }
}

const bad: [what: string, file: string, bad: Response][] = [
  ['a missing script', script, answer(404, 'application/json', '{}')],
  ['the page in place of a script', script, good('/')],
  ['the page in place of a style', style, good('/')],
  ['a failure', style, answer(503, 'text/css')],
  ['the page of the version before', '/', answer(200, 'text/html', page.replaceAll('NEW', 'OLD'))],
  ['the page of a hotel', '/', answer(200, 'text/html', '<form>Room</form>')],
  ['a redirected page', '/', redirected('/')],
  ['no type', '/icon.svg', new Response(new Uint8Array([1]))],
]

test.each(bad)(
  'after %s, nothing is kept, and the app works once the service is whole',
  async (_, file, once) => {
    const network = { answer: (asked: string) => (asked === file ? once.clone() : good(asked)) }
    if (once.redirected) network.answer = (asked) => (asked === file ? redirected(asked) : good(asked))
    const { stored, install, load } = browserWith(network)
    await expect(install()).rejects.toThrow('does not have')
    expect([...stored.values()].flatMap((cache) => [...cache.keys()])).toEqual([])
    network.answer = good
    expect(await (await load(script)).text()).toBe('start()')
    await install()
    network.answer = () => {
      throw new Error('offline')
    }
    expect(await (await load('/transactions', 'navigate')).text()).toBe(page)
    for (const one of Object.keys(whole)) expect(await (await load(one)).text()).toBe(whole[one]?.[1])
  },
)

test('the files of two versions are not mixed', async () => {
  const answerOf = (file: string) => (file in whole ? good(file) : answer(404, 'application/json'))
  const { stored, install, load } = browserWith({ answer: answerOf })
  await install()
  stored.set('app 2', new Map([['/later.js', answer(200, 'text/javascript', 'later()')]]))
  expect((await load('/later.js')).status).toBe(404)
  expect(await (await load('/', 'navigate')).text()).toBe(page)
})
