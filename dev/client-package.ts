import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { buildPackage } from './package.ts'
import { projectDirectory } from './project.ts'

/** Where `npm run client:build` puts the client, as a package of its own, and its module. */
export const clientPackage = join(projectDirectory, 'dist/client')
export const clientModule = join(clientPackage, 'js/index.js')

/** Builds the client as a package for an SPA, with the types of the routes, the guide and the examples. */
export async function buildClientPackage(target = clientPackage): Promise<void> {
  await buildPackage(target, {
    source: 'client',
    // Entry points of their own keep the rest in other files than the ledger, whose schemas are made when its file is
    // loaded: an app without a ledger should not load that, and few apps restore an export.
    entryPoints: ['index.ts', 'create.ts', 'new-id.ts', 'restore.ts', 'ledger/ledger.ts'],
    ownTypes: /^client\/|^src\/app\.ts$/,
    // Of app.ts only the routes are needed, which the compiler has spelled out.
    editTypes: (text) =>
      text.replace(
        "import type { App } from './http/app-types.ts'",
        "import type { BlankEnv as App } from 'hono/types'",
      ),
    editReadme: (text) => text.replace('[Purse](../README.md)', 'Purse').replaceAll('](../docs/', '](docs/'),
  })
  await Promise.all([
    cp(join(projectDirectory, 'docs/client.md'), join(target, 'docs/client.md')),
    cp(join(projectDirectory, 'docs/examples'), join(target, 'docs/examples'), {
      recursive: true,
      filter: (path) => !path.endsWith('tsconfig.json'),
    }),
  ])
}

if (import.meta.main) await buildClientPackage()
