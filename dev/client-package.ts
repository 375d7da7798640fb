import { execFileSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'
import { projectDirectory } from './project.ts'

/** Where `npm run client:build` puts the client, as a package of its own, and its module. */
export const clientPackage = join(projectDirectory, 'dist/client')
export const clientModule = join(clientPackage, 'js/index.js')

const source = join(projectDirectory, 'client')

/**
 * Builds the client as a package for an SPA: JavaScript, the types of the client and its routes, its README, the guide
 * and the examples. It depends on hono and zod. Throws if its types need anything from the server.
 */
export async function buildClientPackage(target = clientPackage): Promise<void> {
  await rm(target, { recursive: true, force: true })
  await mkdir(target, { recursive: true })
  await Promise.all([
    build({
      // Entry points of their own keep the rest in other files than the ledger, whose schemas are made when its file is
      // loaded: an app without a ledger should not load that, and few apps restore an export.
      entryPoints: ['index.ts', 'create.ts', 'new-id.ts', 'restore.ts', 'ledger/ledger.ts'].map((name) =>
        join(source, name),
      ),
      outdir: join(target, 'js'),
      outbase: source,
      splitting: true,
      bundle: true,
      format: 'esm',
      target: 'es2022',
      // Not bundled, so that an app that has these packages loads no second copy.
      external: ['hono', 'zod'],
      // Without the texts of the OpenAPI document (src/shared/doc.ts).
      define: { DOCUMENTED: 'false' },
    }),
    writeTypes(target),
    writeManifest(target),
    writeReadme(target),
    cp(join(projectDirectory, 'docs/client.md'), join(target, 'docs/client.md')),
    cp(join(projectDirectory, 'docs/examples'), join(target, 'docs/examples'), {
      recursive: true,
      filter: (path) => !path.endsWith('tsconfig.json'),
    }),
  ])
}

async function writeTypes(target: string): Promise<void> {
  const all = await mkdtemp(join(tmpdir(), 'purse-types-'))
  try {
    const tsc = join(projectDirectory, 'node_modules/typescript/bin/tsc')
    // Threads that check side by side would each infer the types of all routes: twice the processor time.
    const options = ['-p', source, '--outDir', all, '--singleThreaded']
    execFileSync(process.execPath, [tsc, ...options], { stdio: 'inherit' })
    const names = await readdir(join(all, 'client'), { recursive: true })
    const parts = names.filter((name) => name.endsWith('.d.ts')).map((name) => `client/${name}`)
    for (const name of ['src/app.d.ts', ...parts]) {
      const text = standalone(name, await readFile(join(all, name), 'utf8'))
      const file = join(target, 'types', name)
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, text)
    }
  } finally {
    await rm(all, { recursive: true, force: true })
  }
}

/** A declaration file without the server. Of app.d.ts only the routes are needed, which the compiler has spelled out. */
function standalone(name: string, text: string): string {
  const own = text
    .replace(
      "import type { App } from './http/app-types.ts'",
      "import type { BlankEnv as App } from 'hono/types'",
    )
    .replace(/((?:from |import\()['"]\.[^'"]*)\.ts(?=['"])/g, '$1.js')
  const strays = [...own.matchAll(/(?:from |import\()['"]([^'"]+)['"]/g)]
    .map(([, module = '']) => module)
    .filter((module) => !/^hono(\/|$)|^\.\.\/src\/app\.js$|^\.{1,2}\/(ledger\/)?[\w-]+\.js$/.test(module))
  if (strays.length > 0)
    throw new Error(`The client's types (${name}) need ${strays.join(', ')} of the server`)
  return own
}

/** The README of `client/`, whose links lead to files of the package. */
async function writeReadme(target: string): Promise<void> {
  const text = await readFile(join(source, 'README.md'), 'utf8')
  await writeFile(
    join(target, 'README.md'),
    text.replace('[Purse](../README.md)', 'Purse').replaceAll('](../docs/', '](docs/'),
  )
}

async function writeManifest(target: string): Promise<void> {
  const manifest = JSON.parse(await readFile(join(source, 'package.json'), 'utf8'))
  const exports = { '.': { types: './types/client/index.d.ts', default: './js/index.js' } }
  const own = { ...manifest, private: undefined, exports }
  await writeFile(join(target, 'package.json'), `${JSON.stringify(own, null, 2)}\n`)
}

if (import.meta.main) await buildClientPackage()
