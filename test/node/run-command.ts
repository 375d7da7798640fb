import { execFile } from 'node:child_process'
import { projectDirectory } from './stack.ts'

/** Runs one of the project's commands, such as `db-check` of dev/db-check.ts, with these variables alone. */
export function runCommand(
  command: string,
  variables: Record<string, string>,
  ...words: string[]
): Promise<{ code: unknown; stdout: string; stderr: string }> {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...variables }
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [`dev/${command}.ts`, ...words],
      { cwd: projectDirectory, env },
      (error, stdout, stderr) => resolve({ code: error ? error.code : 0, stdout, stderr }),
    )
  })
}
