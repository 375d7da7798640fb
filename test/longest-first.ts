import type { TestSpecification } from 'vitest/node'
import { BaseSequencer } from 'vitest/node'

/** The slowest files of the Worker, and of Node, in the order in which they start. */
const longest = [
  'worker/model/model',
  'worker/devices/devices',
  'worker/abuse/fuzz',
  'worker/faults/sign-in',
  'worker/ledger/answers',
  'worker/faults/routes',
  'worker/json-bodies',
  'worker/ledger/undo',
  'worker/ledger/outcomes',
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
  'node/guides',
  'node/import-work',
  'node/generated-clients',
  'node/body-work',
  'node/reference-page',
  'node/batches-retry',
]

/** The Worker's files come first, so that each runtime is started once and used for many of them; then those in Node. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return [...files].sort((a, b) => place(a) - place(b))
  }
}

function place({ project, moduleId }: TestSpecification): number {
  const found = longest.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`))
  const rank = found === -1 ? longest.length : found
  return project.name === 'worker' ? rank : longest.length + 1 + rank
}
