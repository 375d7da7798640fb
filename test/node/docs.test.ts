import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createClient } from '@libsql/client/http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { experimental_getWranglerCommands, unstable_readConfig } from 'wrangler'
import { startDatabases } from '../databases/namespaces.ts'
import { projectDirectory } from './fixtures/stack.ts'

const read = (file: string) => readFileSync(path.join(projectDirectory, file), 'utf8')
const deploy = read('docs/deploy.md')
const documents = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'client/README.md',
  ...globSync('docs/**/*.md', { cwd: projectDirectory }),
].map((name) => ({ name, text: read(name) }))

describe.each(documents)('$name', ({ name, text }) => {
  test('names only scripts that exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
    expect(matches(text, /npm run ([\w:-]+)/g).filter((script) => !(script in scripts))).toEqual([])
  })

  test('names only files that exist', () => {
    const rooms =
      /^(src|client|statements|dev|docs|test|bench|migrations)\/[\w./-]*$|^[\w-]+\.(toml|ts|json)$/
    const named = matches(text, /`([^`\n]+)`/g).filter((code) => rooms.test(code))
    const exists = (file: string) => existsSync(path.join(projectDirectory, file)) || namesOfSource.has(file)
    expect(named.filter((file) => !exists(file))).toEqual([])
  })

  test('links to places that exist', () => {
    const places = matches(text, /\]\((?!https?:)([^)]+)\)/g)
    expect(places.filter((place) => !linksToSomething(name, text, place))).toEqual([])
  })

  test('uses commands and flags that the installed wrangler knows', () => {
    const used = codeOf(text).flatMap((code) => matches(code, /\bwrangler ((?:[a-z-]+ ?)[^\n|;&#]*)/g))
    expect(used.flatMap(mistakesIn)).toEqual([])
  })
})

/** The files of the source, by their names without a folder: every resource has a `contract.ts`. */
const namesOfSource = new Set(
  globSync('{src,statements}/**/*.ts', { cwd: projectDirectory }).map((file) => path.basename(file)),
)

test('the decisions are short enough to be read', () => {
  expect(read('docs/decisions.md').split(/\s+/).length).toBeLessThanOrEqual(7_000)
})

test('what the README says of the benchmark is what the benchmark found', () => {
  const [said = ''] = matches(read('README.md'), /<!-- bench -->\n([\s\S]+?)<!-- \/bench -->/g)
  expect(said).toMatch(/^- .*\d/m)
  expect(read('bench/results/results.md')).toContain(said.trim())
})

test('comments cite pages and headings that exist', () => {
  const sources = globSync('{src,statements,test,dev,bench}/**/*.ts', {
    cwd: projectDirectory,
    exclude: ['**/node_modules/**'],
  })
  const cited = sources.flatMap((file) => citationsIn(read(file)).map((citation) => ({ file, ...citation })))
  expect(cited.length).toBeGreaterThan(10)
  expect(cited.filter(({ page, heading }) => !leadsSomewhere(page, heading))).toEqual([])
})

test('the document, the client and the changelog state the version in package.json', async () => {
  const { version } = JSON.parse(read('package.json'))
  expect(JSON.parse(read('dist/reference/api/openapi.json')).info.version).toBe(version)
  expect(JSON.parse(read('package-lock.json')).packages[''].version).toBe(version)
  expect(/^## (\S+)/m.exec(read('CHANGELOG.md'))?.[1]).toBe(version)
})

test('docs/security.md names tests that exist', () => {
  const named = [
    ...read('docs/security.md').matchAll(/`(test\/[\w./-]+\.test\.ts)`((?:[^“`]{0,40}“[^”]+”)+)/g),
  ]
  const tests = named.flatMap(([, file = '', titles = '']) =>
    matches(titles, /“([^”]+)”/g).map((title) => ({ file, title })),
  )
  expect(tests.length).toBeGreaterThan(20)
  const exists = ({ file, title }: { file: string; title: string }) =>
    [`'${title}'`, `"${title}"`, `\`${title}\``].some((quoted) => read(file).includes(quoted))
  expect(tests.filter((one) => !exists(one))).toEqual([])
})

describe('docs/deploy.md', () => {
  test('names every secret and variable of a deployed environment', () => {
    const settings = read('wrangler.toml')
    const secrets = /^\[env\.production\.secrets\]\nrequired = \[([^\]]+)\]/m.exec(settings)?.[1] ?? ''
    const variables = /^\[env\.production\.vars\]\n((?:.+\n)+)/m.exec(settings)?.[1] ?? ''
    const names = [...matches(secrets, /"(\w+)"/g), ...matches(variables, /^(\w+) = /gm)]
    expect(names.length).toBeGreaterThan(10)
    expect(names.filter((one) => !deploy.includes(`\`${one}\``))).toEqual([])
  })

  test('shows a placement that wrangler accepts, and wrangler.toml has it ready in each environment', () => {
    const line = /^placement = .+$/m.exec(deploy)?.[0] ?? 'none'
    const directory = mkdtempSync(path.join(tmpdir(), 'purse-placement-'))
    const config = path.join(directory, 'wrangler.toml')
    writeFileSync(config, read('wrangler.toml').replaceAll(`# ${line}`, line))
    const placements = ['staging', 'production'].map(
      (env) => unstable_readConfig({ config, env }, { hideWarnings: true }).placement,
    )
    rmSync(directory, { recursive: true })
    expect(placements).toEqual([{ region: 'aws:eu-west-1' }, { region: 'aws:eu-west-1' }])
  })

  test('names every event that the log can hold', () => {
    const sources = globSync('src/**/*.ts', { cwd: projectDirectory }).map(read)
    const events = sources.flatMap((source) => matches(source, /\bevent: '([^']+)'/g))
    expect(events.length).toBeGreaterThan(10)
    expect(events.filter((event) => !deploy.includes(`\`${event}\``))).toEqual([])
  })
})

describe('the SQL of docs/deploy.md', () => {
  const statements = matches(deploy, /```sql\n([\s\S]+?)```/g)
    .flatMap((block) => block.split(/;.*\n/))
    .filter(Boolean)
  let databases: Awaited<ReturnType<typeof startDatabases>>
  let directory: string
  let url: string

  beforeAll(async () => {
    directory = mkdtempSync(path.join(tmpdir(), 'purse-docs-'))
    databases = await startDatabases(directory, { migrated: true })
    url = `${databases.url}/purse/`
  })
  afterAll(async () => {
    await databases.close()
    rmSync(directory, { recursive: true })
  })

  test('runs on a migrated database', async () => {
    expect(statements.length).toBeGreaterThan(5)
    for (const statement of statements) await createClient({ url }).execute(statement)
  })
})

function matches(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map((match) => match[1] ?? '')
}

/** The code of a page: spans, and fenced blocks with continued lines joined. */
function codeOf(text: string): string[] {
  const fenced = matches(text, /```\w*\n([\s\S]+?)```/g).map((code) => code.replaceAll('\\\n', ' '))
  const spans = matches(text.replaceAll(/```[\s\S]+?```/g, ''), /`([^`\n]+)`/g)
  // Command substitutions are not part of the command around them.
  return [...fenced, ...spans].map((code) => code.replaceAll(/\$\([^)]*\)/g, '…'))
}

/** Compares one use of wrangler, such as `queues create NAME --flag x`, with wrangler's own register of commands. */
function mistakesIn(use: string): string[] {
  const { registry, globalFlags } = experimental_getWranglerCommands()
  let node: typeof registry | undefined = registry
  let depth = 0
  const words = use.trim().split(/\s+/)
  for (const word of words) {
    const next: typeof registry | undefined = node.subtree.get(word)
    if (!next) break
    node = next
    depth += 1
  }
  const { definition } = node
  if (definition?.type !== 'command') return [`wrangler ${use}: no such command`]
  const known = new Set([...Object.keys(definition.args ?? {}), ...Object.keys(globalFlags)])
  const flags = words.slice(depth).filter((word) => /^--\w/.test(word))
  return flags
    .filter((flag) => !known.has(flag.slice(2).split('=')[0] ?? ''))
    .map((flag) => `wrangler ${use}: no flag ${flag}`)
}

function linksToSomething(from: string, text: string, place: string): boolean {
  const [file = '', anchor] = place.split('#')
  const target = path.join(projectDirectory, path.dirname(from), file)
  if (file && !existsSync(target)) return false
  if (anchor === undefined) return file !== ''
  return headingsOf(file ? readFileSync(target, 'utf8') : text).some(
    (heading) => anchorOf(heading) === anchor,
  )
}

type Citation = { page: string; heading?: string | undefined }

/** The pages that comments name, each with the heading behind it: `docs/deploy.md`, `decisions.md, CAMT`. */
function citationsIn(source: string): Citation[] {
  const comments = source.match(/\/\*\*?\s[\s\S]*?\*\/|(?<!:)\/\/ .*(?:\n\s*\/\/.*)*/g) ?? []
  return comments
    .map((comment) => comment.replaceAll(/\n\s*(?:\*|\/\/)\s*/g, ' '))
    .flatMap((comment) => [...comment.matchAll(/(?<![\w/.-])([\w/-]+\.md)(?:, ([^).:;`]+))?/g)])
    .map(([, page = '', heading]) => ({ page, heading }))
}

function leadsSomewhere(page: string, heading?: string): boolean {
  const file = [page, `docs/${page}`].map((one) => path.join(projectDirectory, one)).find(existsSync)
  if (!file) return false
  return heading === undefined || headingsOf(readFileSync(file, 'utf8')).includes(heading.trim())
}

function headingsOf(text: string): string[] {
  return matches(text, /^#+ (.+)$/gm)
}

/** The anchor that GitHub gives a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(' ', '-')
}
