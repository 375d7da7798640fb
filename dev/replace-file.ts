import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Writes a file in one step, and only where its content differs, so that whoever reads it meanwhile finds it whole
 * and whoever watches it is not woken for nothing. `drafts` is the directory of the unfinished file, on the same disk.
 */
export async function replaceFile(file: string, content: Buffer, drafts: string): Promise<void> {
  const present = await readFile(file).catch(() => undefined)
  if (present?.equals(content)) return
  await mkdir(dirname(file), { recursive: true })
  const draft = `${drafts}/${randomUUID()}`
  await writeFile(draft, content)
  await rename(draft, file)
}
