import { onTestFinished } from 'vitest'
import { BodyMemory } from '../../src/http/body-memory.ts'

/** Takes memory that nobody gives back before the test is over. */
export function takeMemory(bytes: number): BodyMemory {
  const memory = new BodyMemory()
  memory.holdArrived(bytes)
  onTestFinished(() => memory.release())
  return memory
}
