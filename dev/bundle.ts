import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { exampleAddressesAllowed, projectDirectory } from './project.ts'

const environments = ['staging', 'production']
/** What the Worker may weigh, minified and gzipped (docs/decisions.md). */
export const maxBytes = 400 * 1024

/** A Worker as it would be uploaded, in bytes. Assets and source maps do not count. */
type Bundle = { minified: number; gzipped: number }

/** Bundles the Worker as a deployment would, without uploading it. Throws with wrangler's output if it fails. */
export function bundle(environment: string): Bundle {
  const folder = mkdtempSync(join(tmpdir(), 'purse-bundle-'))
  try {
    deployDry(environment, folder)
    const modules = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(js|mjs|wasm|bin|txt|html)$/.test(name))
      .map((name) => readFileSync(join(folder, name)))
    return {
      minified: sum(modules.map((code) => code.byteLength)),
      gzipped: sum(modules.map((code) => gzipSync(code).byteLength)),
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function deployDry(environment: string, folder: string): void {
  const wrangler = join(projectDirectory, 'node_modules/wrangler/bin/wrangler.js')
  const options = ['--dry-run', '--env', environment, '--outdir', folder]
  try {
    execFileSync(process.execPath, [wrangler, 'deploy', ...options], {
      cwd: projectDirectory,
      encoding: 'utf8',
      stdio: 'pipe',
      env: { ...process.env, WRANGLER_SEND_METRICS: 'false', [exampleAddressesAllowed]: 'true' },
    })
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string }
    throw new Error(`The Worker for ${environment} cannot be deployed.\n${stdout ?? ''}${stderr ?? ''}`)
  }
}

function sum(sizes: number[]): number {
  return sizes.reduce((total, size) => total + size, 0)
}

function kib(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KiB`
}

/** Prints the size of each environment's Worker; true if all are within the limit. */
function report(limitBytes: number): boolean {
  const bundles = environments.map((name) => ({ name, ...bundle(name) }))
  for (const { name, minified, gzipped } of bundles)
    console.log(
      `${name}: ${kib(minified)} minified, ${kib(gzipped)} (${gzipped} bytes) gzipped of at most ${kib(limitBytes)}`,
    )
  return bundles.every(({ gzipped }) => gzipped <= limitBytes)
}

// An argument sets another limit in bytes, with which a test makes it fail.
if (import.meta.main) {
  const limitBytes = Number(process.argv[2] ?? maxBytes)
  if (!report(limitBytes)) {
    console.error(`The Worker is larger than ${kib(limitBytes)}, minified and gzipped.`)
    process.exitCode = 1
  }
}
