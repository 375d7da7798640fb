import { join } from 'node:path'
import { buildPackage } from './package.ts'
import { projectDirectory } from './project.ts'

/** Where `npm run statements:build` puts the reader of statements, as a package of its own. */
export const statementsPackage = join(projectDirectory, 'dist/statements')

/** Builds the reader of statements as a package for browsers and Node, with its command. */
export async function buildStatementsPackage(target = statementsPackage): Promise<void> {
  await buildPackage(target, {
    source: 'statements',
    entryPoints: ['index.ts', 'command/main.ts'],
    // Older ones lack Map.groupBy.
    manifest: { bin: './js/command/main.js', engines: { node: '>=22' } },
    ownTypes: /^statements\/|^src\/domain\//,
    editReadme: (text) => text.replace('[Purse](../README.md)', 'Purse'),
  })
}

if (import.meta.main) await buildStatementsPackage()
