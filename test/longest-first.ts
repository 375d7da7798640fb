import type { TestSpecification } from 'vitest/node'
import { BaseSequencer } from 'vitest/node'

/** What takes longest, the longest first: begun last, one of them would run on alone. */
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

/** The Worker's tests, then those in Node, so that a runtime goes from file to file; in each what takes longest first. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return [...files].sort((a, b) => place(a) - place(b))
  }
}

function place({ project, moduleId }: TestSpecification): number {
  const rank = longest.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`))
  return (project.name === 'worker' ? 0 : 1_000) + (rank === -1 ? longest.length : rank)
}
