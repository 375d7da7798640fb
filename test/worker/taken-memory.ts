import { onTestFinished } from 'vitest'
import { BodyMemory } from '../../src/http/body-memory.ts'

/** Reserves memory until the test is over. */
export function takeMemory(bytes: number): BodyMemory {
  const memory = new BodyMemory()
  memory.hold(bytes)
  onTestFinished(() => memory.release())
  return memory
}
