import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { defineConfig, type Plugin } from 'vite'

const beside = (name: string) => path.join(import.meta.dirname, name)

export default defineConfig(({ command }) => ({
  root: import.meta.dirname,
  define: {
    'import.meta.env.VITE_API_URL': JSON.stringify(
      process.env.API_URL ?? (command === 'serve' ? 'http://127.0.0.1:8787' : ''),
    ),
  },
  plugins: [serviceWorker()],
}))

/** Adds the service worker to a build, with the names of the files that it keeps. */
function serviceWorker(): Plugin {
  return {
    name: 'service-worker',
    apply: 'build',
    enforce: 'post',
    generateBundle(_, bundle) {
      const built = Object.values(bundle)
      const files = [
        '/',
        '/icon.svg',
        '/manifest.webmanifest',
        ...built.map(({ fileName }) => `/${fileName}`),
      ]
      const contents = built.map((file) => (file.type === 'chunk' ? file.code : file.source)).join()
      const version = createHash('sha256').update(contents).digest('hex').slice(0, 12)
      const kept = { version, files: files.filter((name) => name !== '/index.html') }
      const source = readFileSync(beside('src/service-worker.js'), 'utf8')
      const text = `const kept = ${JSON.stringify(kept)}\n${source}`
      this.emitFile({ type: 'asset', fileName: 'service-worker.js', source: text })
    },
  }
}
