import { existsSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { build } from 'esbuild'
import { chromium } from 'playwright-core'
import { clientModule } from '../../dev/client-package.ts'
import { projectDirectory } from './stack.ts'

/** The system's browser, since we download none. */
export const browser = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
)

/** Switches off what a browser does on its own. */
const args = [
  ...['--no-sandbox', '--no-first-run', '--disable-gpu'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-quic'],
]

/** Starts it; `names` map more addresses to this machine, such as `localhost:5173 127.0.0.1:4000`. */
export const launch = (...names: string[]) =>
  chromium.launch({
    executablePath: browser ?? '',
    args: [...args, hostRules(['phone.test 127.0.0.1', ...names])],
  })

const hostRules = (names: string[]) => `--host-resolver-rules=${names.map((name) => `MAP ${name}`).join()}`

/** Serves a page made from the package and the examples, at an origin that may call the API. */
export async function servePage(contents: string) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: path.join(projectDirectory, 'docs/examples') },
    alias: { 'purse-client': clientModule },
    bundle: true,
    format: 'esm',
    write: false,
  })
  const server = http.createServer(({ url }, response) => {
    if (url === '/app.js') response.setHeader('Content-Type', 'text/javascript').end(outputFiles[0]?.text)
    else response.setHeader('Content-Type', 'text/html').end('<script type="module" src="/app.js"></script>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://localhost:${(server.address() as AddressInfo).port}/`, close: () => server.close() }
}
