import { existsSync, globSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import path from 'node:path'
import { projectDirectory } from './project.ts'
import { type Serving, send, sendJson, serve } from './web/serve.ts'

const root = path.join(projectDirectory, 'examples/app')
const sources = ['examples/app/**/*', 'client/**/*.ts']
/** What a browser asks for whenever it looks for a new version of the app. */
const entries = ['index.html', 'service-worker.js']
const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webmanifest': 'application/manifest+json',
}

type Options = { port: number; host: string; directory: string; apiUrl: string }

/**
 * Serves the example app as it would be deployed, with its service worker. It is built into the directory when a
 * browser first asks for it, and again after an edit. Rejects if the port is taken.
 */
export async function startApp({ port, host, directory, apiUrl }: Options): Promise<Serving> {
  let building = Promise.resolve()
  let builtAt = 0

  function build(): Promise<void> {
    building = building
      .catch(() => {})
      .then(async () => {
        const newest = newestSource()
        if (newest <= builtAt) return
        await buildApp(directory, apiUrl)
        builtAt = newest
      })
    return building
  }

  const handler =
    () =>
    async (request: IncomingMessage, response: ServerResponse, { pathname }: URL) => {
      // Every path without an extension is a page of the app.
      const name = path.extname(pathname) ? pathname.slice(1) : 'index.html'
      if (entries.includes(name) || builtAt === 0) await build()
      const file = path.join(directory, name)
      const type = types[path.extname(name)]
      const isRead = request.method === 'GET' || request.method === 'HEAD'
      if (!isRead || !type || !file.startsWith(directory) || !existsSync(file))
        return sendJson(response, 404, { message: 'Not found.' })
      send(response, 200, type, await readFile(file))
    }
  return serve(handler, { port, host })
}

/** When a source was last written, in milliseconds since 1970. */
function newestSource(): number {
  const files = globSync(sources, { cwd: projectDirectory })
  return Math.max(...files.map((file) => statSync(path.join(projectDirectory, file)).mtimeMs))
}

/** Builds the example app into a directory. Without the address of an API, it calls the server that it comes from. */
export async function buildApp(directory: string, apiUrl: string): Promise<void> {
  // Loading Vite takes longer than building the app, so whoever needs neither waits for neither.
  const { build } = await import('vite')
  await build({
    root,
    logLevel: 'warn',
    define: { 'import.meta.env.VITE_API_URL': JSON.stringify(apiUrl) },
    build: { outDir: directory, emptyOutDir: true },
  })
}
