import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')

/** The rooms of src/, with client/ beside it, and the floor each stands on. A file imports from its own room or from a strictly lower floor. */
const floors: Record<string, number> = {
  '.': 4,
  http: 3,
  consumers: 3,
  // config.ts and deps.ts, which the rooms above are given.
  deps: 2,
  services: 2,
  contract: 1,
  statements: 1,
  db: 1,
  gateways: 1,
  emails: 1,
  domain: 0,
  // What runs on users' machines. Nothing in the server may import it.
  client: 5,
}

/** Packages that only these places may import, so that each can be replaced in one. */
const confined: Record<string, RegExp> = {
  arctic: /^gateways\//,
  resend: /^gateways\//,
  '@libsql/client': /^db\/(client|errors)\.ts$/,
  hono: /^app\.ts$|^http\/|^\.\.\/client\//,
  'hono-rate-limiter': /^http\//,
  '@hono/zod-validator': /^http\//,
}

const files = globSync(['**/*.ts', '../client/**/*.ts'], { cwd: join(root, 'src') })

const imports = files.flatMap((file) => {
  const text = readFileSync(join(root, 'src', file), 'utf8')
  const targets = [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1] ?? '')
  return targets.map((target) => ({ file, target }))
})

const resolved = (file: string, target: string) =>
  relative(join(root, 'src'), join(root, 'src', dirname(file), target))

const roomOf = (file: string) => {
  if (file.startsWith('../')) return file.split('/')[1] ?? ''
  if (file === 'config.ts' || file === 'deps.ts') return 'deps'
  return file.includes('/') ? (file.split('/')[0] ?? '') : '.'
}

test('every file of src is in a room with a floor', () => {
  expect(files.length).toBeGreaterThan(20)
  expect(files.filter((file) => floors[roomOf(file)] === undefined)).toEqual([])
})

test('imports stay in their room or point down', () => {
  const upward = imports
    .filter(({ target }) => target.startsWith('.'))
    .map(({ file, target }) => ({ file, target: resolved(file, target) }))
    .filter(({ file, target }) => {
      const from = roomOf(file)
      const to = roomOf(target)
      return from !== to && (floors[to] ?? 9) >= (floors[from] ?? -1)
    })
  expect(upward).toEqual([])
})

test('no files import each other in a circle', () => {
  const targets = Map.groupBy(
    imports.filter(({ target }) => target.startsWith('.')),
    ({ file }) => file,
  )
  const left = new Set(files)
  const isFree = (file: string) => !targets.get(file)?.some(({ target }) => left.has(resolved(file, target)))
  for (let free = files; free.length > 0; free = [...left].filter(isFree))
    for (const file of free.filter(isFree)) left.delete(file)
  expect([...left]).toEqual([])
})

test('statements are run by name: nobody reads a result by its position', () => {
  const positional = files.filter((file) =>
    /\.batch\(|db\.send\(/.test(readFileSync(join(root, 'src', file), 'utf8')),
  )
  expect(positional).toEqual(['db/client.ts', 'db/run.ts'])
})

test('packages for the outside world are imported in their one place only', () => {
  const strays = imports.filter(({ file, target }) => {
    const name = target.startsWith('@')
      ? target.split('/').slice(0, 2).join('/')
      : (target.split('/')[0] ?? '')
    return confined[name] && !confined[name].test(file)
  })
  expect(strays).toEqual([])
})

test('the client takes the contract, what is pure, types of the routes, and the client of hono', () => {
  const foreign = imports
    .filter(({ file }) => roomOf(file) === 'client')
    .map(({ file, target }) => ({ file, target: target.startsWith('.') ? resolved(file, target) : target }))
    .filter(({ target }) => !/^(\.\.\/client|contract|domain)\//.test(target))
    .map(({ file, target }) => `${file}: ${target}`)
  expect([...new Set(foreign)].sort()).toEqual([
    '../client/api.ts: app.ts',
    '../client/api.ts: hono',
    '../client/api.ts: hono/client',
    '../client/api.ts: hono/types',
    '../client/api.ts: hono/utils/http-status',
    '../client/create.ts: hono/client',
    '../client/ledger/validate.ts: zod/mini',
    '../client/unwrap.ts: hono/client',
    '../client/unwrap.ts: hono/types',
    '../client/unwrap.ts: hono/utils/http-status',
  ])
})
