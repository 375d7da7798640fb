import { execFileSync } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, normalize } from 'node:path'
import { build } from 'esbuild'
import { projectDirectory } from './project.ts'

/** A package of the project: where its source is, and what of the project it brings. */
export type PackageOptions = {
  source: 'client' | 'statements'
  /** The files that become files of the package, below `source`; `index.ts` is the package's module. */
  entryPoints: string[]
  /** The fields of package.json besides those of `source`. */
  manifest?: object
  /** The files whose types may be in those of the package. */
  ownTypes: RegExp
  /** Changes a file's types. */
  editTypes?: (text: string) => string
  /** Changes the links of the README, so that they lead to files of the package. */
  editReadme: (text: string) => string
}

/**
 * Builds a package that others can install: JavaScript, types, its README and the license. It depends on what its package.json says, and
 * throws if its types need anything else.
 */
export async function buildPackage(target: string, options: PackageOptions): Promise<void> {
  const source = join(projectDirectory, options.source)
  await rm(target, { recursive: true, force: true })
  await mkdir(target, { recursive: true })
  const manifest = JSON.parse(await readFile(join(source, 'package.json'), 'utf8'))
  const dependencies = Object.keys(manifest.dependencies)
  const exports = { '.': { types: `./types/${options.source}/index.d.ts`, default: './js/index.js' } }
  const readme = await readFile(join(source, 'README.md'), 'utf8')
  await Promise.all([
    build({
      entryPoints: options.entryPoints.map((name) => join(source, name)),
      outdir: join(target, 'js'),
      outbase: source,
      splitting: true,
      bundle: true,
      format: 'esm',
      target: 'es2022',
      // Not bundled, so that an app that has these packages loads no second copy.
      external: [...dependencies, 'node:*'],
    }),
    writeTypes(target, options, dependencies),
    copyFile(join(projectDirectory, 'LICENSE'), join(target, 'LICENSE')),
    writeFile(join(target, 'README.md'), options.editReadme(readme)),
    writeFile(
      join(target, 'package.json'),
      `${JSON.stringify({ ...manifest, ...options.manifest, private: undefined, exports }, null, 2)}\n`,
    ),
  ])
}

/** Writes the types of index.ts, and those that they need. */
async function writeTypes(
  target: string,
  { source, ownTypes, editTypes }: PackageOptions,
  dependencies: string[],
): Promise<void> {
  const all = await mkdtemp(join(tmpdir(), 'purse-types-'))
  try {
    const tsc = join(projectDirectory, 'node_modules/typescript/bin/tsc')
    // Threads that check side by side would each infer the types of all routes: twice the processor time.
    const options = ['-p', join(projectDirectory, source), '--outDir', all, '--singleThreaded']
    execFileSync(process.execPath, [tsc, ...options], { stdio: 'inherit' })
    const names = new Set([`${source}/index.ts`])
    for (const name of names) {
      const file = name.replace(/\.ts$/, '.d.ts')
      const declared = await readFile(join(all, file), 'utf8')
      const text = editTypes?.(declared) ?? declared
      for (const [, module = ''] of text.matchAll(importing)) {
        const needed = module.startsWith('.') ? normalize(join(dirname(name), module)) : module
        const isInstalled = dependencies.some((one) => module === one || module.startsWith(`${one}/`))
        if (ownTypes.test(needed)) names.add(needed)
        else if (!isInstalled) throw new Error(`The types of ${source} (${name}) need ${module}`)
      }
      await mkdir(dirname(join(target, 'types', file)), { recursive: true })
      await writeFile(
        join(target, 'types', file),
        text.replace(importing, (found) => found.replace(/\.ts$/, '.js')),
      )
    }
  } finally {
    await rm(all, { recursive: true, force: true })
  }
}

/** Up to the end of a module's name. */
const importing = /(?:from |import\()['"]([^'"]+)(?=['"])/g
