import type { TestSpecification } from 'vitest/node'
import { BaseSequencer } from 'vitest/node'

/** The slowest files of the Worker, and of Node, in the order in which they start. */
const longest = [
  'worker/model/model',
  'worker/abuse/fuzz',
  'worker/faults/sign-in',
  'worker/faults/routes',
  'worker/devices/devices',
  'worker/imports/imports',
  'worker/matches/join-random',
  'worker/client/ledger/damage',
  'worker/client/ledger/malformed-responses',
  'worker/laws/database-work',
  'worker/laws/long-histories',
  'statements/work',
  'statements/hostile',
  'statements/memory',
  'statements/cases',
  'node/app-use',
  'node/app',
  'node/app-checks',
  'node/dev-stack',
  'node/faults',
  'node/bench',
  'node/streams',
  'node/guides',
  'node/killed-database',
  'node/wrangler-dev',
  'node/client-package',
  'node/statements-package',
  'node/hledger',
  'node/reference-page',
  'node/body-work',
  'node/ledger-speed',
  'node/devices',
  'node/generated-clients',
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
