import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type Place, projectDirectory } from './stack.ts'

/** `npm run seed` in a place. */
export async function runSeed(
  place: Place & Record<string, string>,
): Promise<{ code: number; output: string }> {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...place }
  const child = spawn(process.execPath, ['dev/seed.ts'], { cwd: projectDirectory, env })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk
    })
  }
  const [code] = await once(child, 'close')
  return { code, output }
}
