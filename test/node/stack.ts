import { rm } from 'node:fs/promises'
import { afterAll, afterEach, beforeEach, expect, inject } from 'vitest'
import { projectDirectory } from '../../dev/project.ts'
import { DevStack, freePlace, leaksIn, type Place } from '../stack-process.ts'

export { leaksIn, type Place, portVariables, startLimitSeconds, until } from '../stack-process.ts'
export { projectDirectory }

const leaksShown = 5

/** What is cleaned up after a test or, if it was made in `beforeAll`, after the file, whatever happens. */
class Belongings {
  readonly stacks: DevStack[] = []
  readonly directories: string[] = []

  async destroy(): Promise<void> {
    const stacks = this.stacks.splice(0)
    for (const stack of stacks) await stack.destroy()
    for (const directory of this.directories.splice(0))
      await rm(directory, { recursive: true, force: true, maxRetries: 5 })
    // Vitest does not see what a stack's Worker logs (test/log-scan.ts).
    expect(stacks.flatMap(({ output }) => leaksIn(output)).slice(0, leaksShown)).toEqual([])
  }
}

const ofTheFile = new Belongings()
const ofATest = new Belongings()
let current = ofTheFile

beforeEach(() => {
  current = ofATest
})
afterEach(() => ofATest.destroy())
afterAll(() => ofTheFile.destroy())

/** Starts `npm run dev` in a place of its own, from this checkout or a copy of it. */
export function start(place: Place, project = projectDirectory): DevStack {
  const stack = new DevStack(place, project)
  current.stacks.push(stack)
  return stack
}

/** Free ports and a state folder that no other test uses. */
export async function newPlace(): Promise<Place> {
  const { place, directory } = await freePlace()
  current.directories.push(directory)
  return place
}

/** The stack for tests that need nothing but users of their own: they share it, since a start takes seconds of CPU. */
export async function sharedPlace(): Promise<Place> {
  const response = await fetch(inject('sharedStackUrl'))
  expect(response.status).toBe(200)
  return (await response.json()) as Place
}

/** The status of the health endpoint. */
export async function healthOf({ PORT }: Place): Promise<number> {
  return (await fetch(`http://127.0.0.1:${PORT}/api/health`)).status
}
