import type { TestSpecification } from 'vitest/node'
import { BaseSequencer } from 'vitest/node'

/**
 * The slowest files, started first and in this order. Those of the Worker keep a core busy from the start; those in
 * Node mostly wait for processes that they start, so others run beside them.
 */
const longest = [
  'worker/model/model',
  'worker/devices/devices',
  'worker/abuse/fuzz',
  'worker/ledger/answers',
  'node/life',
  'node/client-package',
  'node/app',
  'node/wrangler-dev',
  'node/dev-stack',
  'node/killed-database',
  'node/devices',
  'node/bench',
  'node/faults',
  'node/import-memory',
  'node/offline-queue',
  'node/guides',
  'node/import-work',
  'node/generated-clients',
  'node/body-work',
  'node/reference-page',
  'node/batches-retry',
  'worker/ledger/undo',
  'worker/ledger/outcomes',
]

/** After the longest come the Worker's files, one after another, so that each runtime is used for many of them. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return [...files].sort((a, b) => place(a) - place(b))
  }
}

function place({ project, moduleId }: TestSpecification): number {
  const rank = longest.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`))
  if (rank !== -1) return rank
  return longest.length + (project.name === 'worker' ? 0 : 1)
}
