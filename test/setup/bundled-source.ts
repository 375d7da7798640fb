import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { build, version } from 'esbuild'
import type { Plugin } from 'vitest/config'
import { projectDirectory as root } from '../../dev/project.ts'
import { replaceFile } from '../../dev/replace-file.ts'

/** The URL by which modules import the bundle, as if it were a file there. */
const bundleUrl = '/src/all.bundle.js'
const bundleFile = path.join(root, bundleUrl)
const cache = path.join(root, 'node_modules/.cache/bundled-source')
const common = {
  absWorkingDir: root,
  bundle: true,
  packages: 'external',
  format: 'esm',
  target: 'esnext',
  write: false,
} as const

/** The code, its source map, and for each file a list of what the bundle exports of it: `unique_name as name`. */
type Bundle = { code: string; map: string; exports: Record<string, string> }

/**
 * Hands the source to tests in workerd as one module, since carrying its files there one by one takes seconds. Each file
 * that a test imports becomes a list of exports of that module, so everything exists once.
 */
export function bundledSource(): Plugin {
  let bundle: Promise<Bundle> | undefined
  return {
    name: 'bundled-source',
    enforce: 'pre',
    configureVitest({ vitest }) {
      vitest.vite.watcher.on('all', (_, file) => {
        if (!isSource(file)) return
        bundle = undefined
        vitest.invalidateFile(bundleFile)
      })
    },
    resolveId: (id) => (id === bundleUrl || id === bundleFile ? bundleFile : undefined),
    async load(id) {
      if (id !== bundleFile && !isSource(id)) return
      bundle ??= bundleSource()
      const { code, map, exports } = await bundle
      return id === bundleFile
        ? { code, map }
        : `export { ${exports[path.relative(root, id)]} } from '${bundleUrl}'`
    },
    // The source maps of packages would be most of what is transferred.
    transform: (code, id) => (id.includes('/node_modules/') ? { code, map: { mappings: '' } } : undefined),
  }
}

function isSource(file: string): boolean {
  return /^(src|client|statements)\/.*\.ts$/.test(path.relative(root, file))
}

/** Bundles the source as it is now, or reads the bundle that an earlier run made of it. */
async function bundleSource(): Promise<Bundle> {
  const files = globSync('{src,client,statements}/**/*.ts', { cwd: root })
  const hash = createHash('sha256').update(version + readFileSync(import.meta.filename, 'utf8'))
  for (const file of files) hash.update(file).update(readFileSync(path.join(root, file)))
  const kept = path.join(cache, hash.digest('hex'))
  const text = await readFile(kept, 'utf8').catch(() => undefined)
  if (text) return JSON.parse(text)
  const bundle = await makeBundle(files)
  await mkdir(cache, { recursive: true })
  await replaceFile(kept, Buffer.from(JSON.stringify(bundle)), cache)
  return bundle
}

async function makeBundle(files: string[]): Promise<Bundle> {
  const names = await exportedNames(files)
  const unique = (file: string, name: string) => `${name}_of_${file}`.replace(/\W/g, '_')
  const list = (file: string, write: (name: string, unique: string) => string) =>
    (names.get(file) ?? []).map((name) => write(name, unique(file, name))).join(', ')
  const lines = files.map(
    (file) => `export { ${list(file, (name, unique) => `${name} as ${unique}`)} } from './${file}'`,
  )
  const { outputFiles } = await build({
    ...common,
    // The Worker comes first, so that modules run in the order in which it imports them.
    stdin: { contents: ["import './src/worker.ts'", ...lines].join('\n'), resolveDir: root },
    sourcemap: 'external',
    outfile: bundleFile,
  })
  const [map, code] = outputFiles.map(({ text }) => text)
  const exports = files.map((file) => [file, list(file, (name, unique) => `${unique} as ${name}`)])
  return { code: code ?? '', map: withoutSources(map ?? ''), exports: Object.fromEntries(exports) }
}

/** What each file exports, types left out. */
async function exportedNames(entryPoints: string[]): Promise<Map<string, string[]>> {
  // Split, or each would contain a copy of what it imports.
  const { metafile } = await build({ ...common, entryPoints, splitting: true, metafile: true, outdir: root })
  return new Map(Object.values(metafile.outputs).map(({ entryPoint = '', exports }) => [entryPoint, exports]))
}

/** The files exist, so the map does not repeat their content: Vite would add it if it were missing, but not if empty. */
function withoutSources(text: string): string {
  const map = JSON.parse(text)
  return JSON.stringify({ ...map, sourcesContent: map.sources.map(() => '') })
}
