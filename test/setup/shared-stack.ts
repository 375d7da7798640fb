import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { TestProject } from 'vitest/node'
import { startApp } from '../../dev/app.ts'
import { freePort } from '../../dev/ports.ts'
import { projectDirectory } from '../../dev/project.ts'
import { loopback } from '../../dev/settings.ts'
import { sendJson, serve } from '../../dev/web/serve.ts'
import { launchServer } from './chromium.ts'
import { DevStack, freePlace, frontend, leaksIn, type Place } from './stack-process.ts'

/**
 * Starts what the tests in Node share when the first of them requests it, and stops it after the last: a stack
 * (sharedPlace in test/node/fixtures/stack.ts), a browser and the example app (test/node/fixtures).
 */
export default async function setup(project: TestProject) {
  const ends: (() => Promise<void>)[] = []
  const appPort = await freePort()
  const stack = once(() => startStack(ends))
  const parts: Record<string, () => Promise<unknown>> = {
    '/stack': stack,
    '/app': once(async () => startExampleApp(ends, appPort, await stack())),
    '/browser': once(() => startBrowser(ends, appPort)),
  }
  const starter = await serve(
    () =>
      async (_, response, { pathname }) =>
        sendJson(response, 200, await parts[pathname]?.()),
    { port: 0, host: loopback },
  )
  project.provide('sharedUrl', starter.url)
  return async () => {
    await starter.close()
    for (const end of ends.reverse()) await end()
  }
}

/** Returns a function that starts something the first time, and returns the same then. */
function once<T>(start: () => Promise<T>): () => Promise<T> {
  let started: Promise<T> | undefined
  return () => {
    started ??= start()
    return started
  }
}

async function startStack(ends: (() => Promise<void>)[]): Promise<Place> {
  const { place, directory } = await freePlace()
  const stack = new DevStack(place, projectDirectory)
  ends.push(async () => {
    await stack.destroy()
    await rm(directory, { recursive: true, force: true, maxRetries: 5 })
    const leaks = leaksIn(stack.output)
    if (leaks.length === 0) return
    console.error(`The shared stack logged secrets:\n${leaks.join('\n')}`)
    process.exitCode = 1
  })
  await stack.ready()
  return place
}

/** The example app, built once, for browsers that call the shared stack. */
async function startExampleApp(ends: (() => Promise<void>)[], port: number, { PORT }: Place) {
  const directory = await mkdtemp(path.join(tmpdir(), 'purse-app-'))
  ends.push(() => rm(directory, { recursive: true, force: true }))
  const apiUrl = `http://${loopback}:${PORT}`
  const { url, close } = await startApp({ port, host: loopback, directory, apiUrl })
  ends.push(close)
  return { url }
}

/** A browser that finds the example app where the links of the shared stack lead. */
async function startBrowser(ends: (() => Promise<void>)[], appPort: number) {
  const app = `${new URL(frontend).host} ${loopback}:${appPort}`
  const server = await launchServer([`phone.test ${loopback}`, app])
  ends.push(() => server.close())
  return { url: server.wsEndpoint() }
}
