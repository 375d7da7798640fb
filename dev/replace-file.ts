import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Replaces a file in one step, and only if its content differs: readers find it whole, and watchers are not woken for
 * nothing. `drafts` is a directory for the unfinished file, on the same disk.
 */
export async function replaceFile(file: string, content: Buffer, drafts: string): Promise<void> {
  const present = await readFile(file).catch(() => undefined)
  if (present?.equals(content)) return
  await mkdir(dirname(file), { recursive: true })
  const draft = `${drafts}/${randomUUID()}`
  await writeFile(draft, content)
  await rename(draft, file)
}
