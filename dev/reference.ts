import { createHash } from 'node:crypto'
import { existsSync, globSync } from 'node:fs'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import manifest from '../package.json' with { type: 'json' }
import { projectDirectory, referenceDirectory } from './project.ts'
import { replaceFile } from './replace-file.ts'

const documentFile = join(referenceDirectory, 'api/openapi.json')
/** Outside the assets, where wrangler would serve unfinished files. */
const drafts = join(projectDirectory, 'dist/drafts')
/** Says which sources the reference was built from. */
const builtFrom = join(projectDirectory, 'dist/reference-built-from')
const pageFiles = join(projectDirectory, 'src/openapi/page')

/**
 * Builds the reference: the OpenAPI document from the code, and the page from the document. Every start of wrangler does
 * that, while other stacks and tests read the files; if no source has changed since, nothing is done.
 */
export async function buildReference(): Promise<void> {
  const sources = await sourcesAsTheyAre()
  if (existsSync(documentFile) && sources === (await readFile(builtFrom, 'utf8').catch(() => undefined)))
    return
  await mkdir(drafts, { recursive: true })
  const publish = (name: string, content: Buffer) =>
    replaceFile(join(referenceDirectory, name), content, drafts)

  const { document, page } = await currentReference()
  await replaceFile(documentFile, Buffer.from(JSON.stringify(document, null, 2)), drafts)
  await publish('docs.html', Buffer.from(page))
  for (const entry of await readdir(pageFiles, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name)
    if (entry.isFile()) await publish(relative(pageFiles, file), await readFile(file))
  }
  await writeFile(builtFrom, sources)
}

async function currentReference() {
  // Imported late: it is the whole Worker, which takes a second and may be in the middle of an edit.
  const { app } = await import('../src/app.ts')
  const { openApiDocument } = await import('../src/document.ts')
  const { referencePage } = await import('../src/openapi/reference-page.ts')
  const document = openApiDocument(app.routes, manifest.version)
  return { document, page: referencePage(document) }
}

/** Changes with every change of a file that the reference is made of. */
async function sourcesAsTheyAre(): Promise<string> {
  const hash = createHash('sha256')
  const files = globSync(['src/**', 'package*.json', 'dev/reference.ts'], { cwd: projectDirectory })
  for (const file of files.sort()) {
    const { mtimeMs, size } = await stat(join(projectDirectory, file))
    hash.update(`${file} ${mtimeMs} ${size}\n`)
  }
  return hash.digest('hex')
}

if (import.meta.main) await buildReference()
