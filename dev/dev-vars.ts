import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { portsOf, type Settings } from './settings.ts'
import { writePrivateFile } from './state-folder.ts'
import type { WorkerVariables } from './worker.ts'

const mark =
  '# Left by `npm run dev`, so that `wrangler dev` alone finds its parts. Every start writes it anew.\n'
const localParts = 4

/** Whether the project has a `.dev.vars` that the developer wrote. */
export function hasOwnDevVars(projectDirectory: string): boolean {
  const file = path.join(projectDirectory, '.dev.vars')
  return existsSync(file) && !readFileSync(file, 'utf8').startsWith(mark)
}

/**
 * Leaves the variables where a plain `wrangler dev` looks for them. Only the checkout's default stack does: the
 * file outlives it, and should name neither a remote database nor a stack that was started for a test.
 */
export function leaveDevVars(settings: Settings, variables: WorkerVariables): void {
  const { projectDirectory, stateDirectory } = settings
  const isCheckoutsOwn = stateDirectory === path.join(projectDirectory, '.local')
  if (!isCheckoutsOwn || portsOf(settings).length < localParts || hasOwnDevVars(projectDirectory)) return
  const lines = Object.entries(variables).map(([name, value]) => {
    const quote = value.includes("'") ? '`' : "'" // wrangler takes both literally
    return `${name}=${quote}${value}${quote}\n`
  })
  writePrivateFile(path.join(projectDirectory, '.dev.vars'), mark + lines.join(''))
}
