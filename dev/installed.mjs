// Says in one line what `npm ci` has left out. `npm run dev` and `npm test` run it first, under any Node.
import { existsSync, readdirSync, readFileSync } from 'node:fs'

const file = (path) => new URL(`../${path}`, import.meta.url)

const missing = whatIsMissing()
if (missing) {
  console.error(`error: ${missing}`)
  process.exitCode = 1
}

function whatIsMissing() {
  if (process.platform === 'win32')
    return 'on Windows, work in WSL (https://learn.microsoft.com/windows/wsl/install).'
  const { engines, devDependencies } = JSON.parse(readFileSync(file('package.json'), 'utf8'))
  if (!existsSync(file('node_modules/node'))) return 'nothing is installed: run `npm ci`.'
  if (process.versions.node !== devDependencies.node)
    return `the project's own Node ${devDependencies.node} is not installed, because npm ran no install scripts (ignore-scripts): run \`npm ci --ignore-scripts=false\`.`
  const bindings = file('node_modules/@rolldown')
  if (!existsSync(bindings) || !readdirSync(bindings).some((name) => name.startsWith('binding-')))
    return `npm left out native packages, as it does under a Node other than ${engines.node} or with --omit=optional: run \`npm ci\` again without either.`
}
