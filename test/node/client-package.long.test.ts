import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { buildClientPackage } from '../../dev/client-package.ts'
import { projectDirectory } from './fixtures/stack.ts'

/** The least that docs/client.md states, and the project's own. */
const compilers = ['test/generated-clients/node_modules/typescript', 'node_modules/typescript']

test('the examples, and what the types promise, compile against the package with a browser’s types alone', async () => {
  await buildClientPackage()
  for (const compiler of compilers) {
    const tsc = path.join(projectDirectory, compiler, 'bin/tsc')
    // Not skipping libraries, so that every import in the package's own declarations has to resolve.
    const options = ['-p', 'docs/examples', '--skipLibCheck', 'false']
    const compiled = promisify(execFile)(process.execPath, [tsc, ...options], { cwd: projectDirectory })
    await expect(compiled, compiler).resolves.toMatchObject({ stdout: '' })
  }
  const { version } = JSON.parse(
    await readFile(path.join(projectDirectory, compilers[0] ?? '', 'package.json'), 'utf8'),
  )
  const guide = await readFile(path.join(projectDirectory, 'docs/client.md'), 'utf8')
  expect(guide).toContain(`TypeScript ${version.split('.').slice(0, 2).join('.')} or later`)
})
