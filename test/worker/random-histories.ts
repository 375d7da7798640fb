import * as fc from 'fast-check'
import { inject } from 'vitest'

/** The tests that play random histories. Each has its own variables and script: MODEL_SEED, `npm run test:model`. */
type Name = 'model' | 'devices'

/**
 * The seed of a run, how many operations it does, and how many histories it lives side by side (`lanes`): few in the
 * suite, since those that are under way at the last operation are lived to their end. The suite always uses the
 * same seed and number, for the same result each time; a longer run draws its own seed, unless it is given one to
 * reproduce a failure.
 */
export function runOf(name: Name, kept: { seed: number; operations: number }) {
  const { seed, operations } = inject(name)
  const newSeed = operations === undefined ? kept.seed : crypto.getRandomValues(new Uint32Array(1))[0]
  return {
    seed: Number(seed ?? newSeed),
    operations: Number(operations ?? kept.operations),
    lanes: operations === undefined ? 2 : Math.min(4, Number(operations)),
    isKept: operations === undefined,
    isRepeat: seed !== undefined,
  }
}

type Plan<History> = {
  name: Name
  seed: number
  /** Histories that run side by side: while the database works for one, the Worker works for another. */
  lanes: number
  isDone: () => boolean
  history: fc.Arbitrary<History>
  /** Plays a history. Throws if something in it is wrong. */
  live: (history: History, seed: number) => Promise<void>
  /** How long to look for a shorter history that fails too. */
  shrinkingMs: number
}

/** Plays one history after another in each lane, until all are done. Throws if one fails. */
export async function liveHistories<History>(plan: Plan<History>): Promise<void> {
  const seeds = seedsFrom(plan.seed)
  let hasFailed = false
  const lane = async () => {
    while (!plan.isDone() && !hasFailed) {
      await liveOne(plan, seeds.next().value).catch((error) => {
        hasFailed = true
        throw error
      })
    }
  }
  const lived = await Promise.allSettled(Array.from({ length: plan.lanes }, lane))
  for (const one of lived) if (one.status === 'rejected') throw one.reason
}

/** Plays the history of a seed. If it fails, looks for a shorter one that fails too, and throws how to reproduce it. */
async function liveOne<History>({ name, history, live, shrinkingMs }: Plan<History>, seed: number) {
  let failedAt: number | undefined
  const property = fc.asyncProperty(history, async (one) => {
    if (failedAt !== undefined && performance.now() > failedAt + shrinkingMs) return
    try {
      await live(one, seed)
    } catch (error) {
      failedAt ??= performance.now()
      throw error
    }
  })
  const report = await fc.check(property, { seed, numRuns: 1 })
  if (!report.failed) return
  const variables = `${name.toUpperCase()}_SEED=${seed} ${name.toUpperCase()}_OPERATIONS=1`
  const { message } = report.errorInstance as Error
  throw new Error(
    `${message}\n\nShortened ${report.numShrinks} times. To see it again: ${variables} npm run test:${name}`,
  )
}

/** Far apart, so that runs with neighbouring seeds share no histories. */
function* seedsFrom(seed: number): Generator<number, never> {
  for (let n = seed; ; n = (n + 0x9e3779b1) % 2 ** 32) yield n
}
