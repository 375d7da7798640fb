import { rm } from 'node:fs/promises'
import type { TestProject } from 'vitest/node'
import { projectDirectory } from '../../dev/project.ts'
import { loopback } from '../../dev/settings.ts'
import { sendJson, serve } from '../../dev/web/serve.ts'
import { DevStack, freePlace, leaksIn, type Place } from './stack-process.ts'

/** Starts a stack when the first test requests it, and stops it after the last (sharedPlace in test/node/fixtures/stack.ts). */
export default async function setup(project: TestProject) {
  let started: Promise<Place> | undefined
  const ends: (() => Promise<void>)[] = []
  const starter = await serve(
    () => async (_, response) => {
      started ??= startStack(ends)
      sendJson(response, 200, await started)
    },
    { port: 0, host: loopback },
  )
  project.provide('sharedStackUrl', starter.url)
  return async () => {
    await starter.close()
    for (const end of ends) await end()
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
