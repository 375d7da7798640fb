import type { TestSpecification } from 'vitest/node'
import { BaseSequencer } from 'vitest/node'

/** The slowest files, slowest first. Started last, one of them would still be running when all others are done. */
const longest = [
  'worker/model/model',
  'worker/abuse/fuzz',
  'worker/laws/wrong-input',
  'worker/transactions-pages',
  'worker/laws/other-users',
  'worker/import-turns',
  'node/life',
  'node/client-package',
  'node/reference-page',
  'node/faults',
  'node/bench',
  'node/dev-stack',
  'node/wrangler-dev',
  'node/offline-queue',
  'node/import-memory',
  'node/seed',
]

/** Runs the Worker's tests before those in Node, so that each runtime is used for many files; slow files come first. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return [...files].sort((a, b) => place(a) - place(b))
  }
}

function place({ project, moduleId }: TestSpecification): number {
  const rank = longest.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`))
  return (project.name === 'worker' ? 0 : 1_000) + (rank === -1 ? longest.length : rank)
}
