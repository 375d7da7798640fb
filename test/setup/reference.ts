import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** Makes the assets of wrangler.toml, as its build command does. */
export default async function setup(): Promise<void> {
  await promisify(execFile)(process.execPath, ['dev/reference.ts'], { cwd: `${import.meta.dirname}/../..` })
}
