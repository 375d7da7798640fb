import { mkdir, readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import manifest from '../package.json' with { type: 'json' }
import { app } from '../src/app.ts'
import { openApiDocument } from '../src/http/openapi/document.ts'
import { projectDirectory } from './project.ts'
import { replaceFile } from './replace-file.ts'

/** The directory of wrangler.toml's assets. */
const target = join(projectDirectory, 'dist/reference')
/** Not among the assets, where wrangler would serve unfinished files. */
const drafts = join(projectDirectory, 'dist/drafts')
const pageFiles = join(projectDirectory, 'src/http/openapi/page')
const rendererFiles = ['swagger-ui-bundle.js', 'swagger-ui.css']

/**
 * Builds the reference: the OpenAPI document from the code, and the page with its renderer. Every start of wrangler does
 * that, while other stacks and tests read the files.
 */
export async function buildReference(): Promise<void> {
  await mkdir(drafts, { recursive: true })
  const publish = (name: string, content: Buffer) => replaceFile(join(target, name), content, drafts)

  const document = openApiDocument(app.routes, manifest.version)
  await publish('api/openapi.json', Buffer.from(JSON.stringify(document, null, 2)))
  for (const entry of await readdir(pageFiles, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name)
    if (entry.isFile()) await publish(relative(pageFiles, file), await readFile(file))
  }
  const renderer = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
  for (const name of rendererFiles) await publish(join('docs', name), await readFile(join(renderer, name)))
}

if (import.meta.main) await buildReference()
