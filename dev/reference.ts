import { cp, mkdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { app } from '../src/app.ts'
import { openApiDocument } from '../src/http/openapi/document.ts'

const root = join(import.meta.dirname, '..')
/** The directory of wrangler.toml's assets. */
const target = join(root, 'dist/reference')
const pageFiles = join(root, 'src/http/openapi/page')
const rendererFiles = ['swagger-ui-bundle.js', 'swagger-ui.css']

/** Builds the reference: the OpenAPI document out of the code, and the page with its renderer. */
export async function buildReference(): Promise<void> {
  const renderer = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
  await cp(pageFiles, target, { recursive: true })
  await mkdir(join(target, 'api'), { recursive: true })
  await writeFile(join(target, 'api/openapi.json'), JSON.stringify(openApiDocument(app.routes), null, 2))
  for (const name of rendererFiles) await cp(join(renderer, name), join(target, 'docs', name))
}

if (import.meta.main) await buildReference()
