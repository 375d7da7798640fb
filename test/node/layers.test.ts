import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')

/**
 * The folders of src, from the lowest, and the two files that say what a run is given. Each imports from itself and from
 * those before it, and the other files of src from all.
 */
const order = [
  ...[
    'domain',
    'failures',
    'identity',
    'queues',
    'database',
    'config.ts',
    'deps.ts',
    'http',
    'openapi',
    'service',
  ],
  ...['mail', 'categories', 'users', 'auth', 'accounts'],
  ...[
    'transactions',
    'recurring',
    'summary',
    'reports',
    'matches',
    'balance-checks',
    'imports',
    'sync',
    'feed',
    'upload',
    'export',
    'jobs',
  ],
]
/** What composes the Worker. */
const composing = ['app.ts', 'document.ts', 'error-handler.ts', 'worker.ts']

/** Packages that only these places may import, so that each can be replaced in one. */
const confined: Record<string, RegExp> = {
  arctic: /^src\/identity\/openid-client\.ts$/,
  resend: /^src\/mail\//,
  fflate: /^statements\/tables\/xlsx\/zip\.ts$/,
  '@libsql/client': /^src\/database\/(client|errors)\.ts$/,
  hono: /^client\/|\/(\w+-)?routes?\.ts$|^src\/(app|document|error-handler)\.ts$|^src\/(http|auth|openapi|imports|feed|upload)\//,
  'hono-rate-limiter': /^src\/http\//,
  '@hono/zod-validator': /^src\/http\//,
}

/** The folders of the statement reader, from the lowest; its own files are the highest. */
const readerOrder = [
  ...[
    'shared',
    'tables/text',
    'tables/aspects',
    'mt940',
    'camt',
    'ofx',
    'qif',
    'tables/reading',
    'tables/xlsx',
  ],
  ...['file', '', 'command'],
]

const filesIn = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !/(^|\/)(dist|node_modules)\//.test(name))
    .map((name) => `${folder}/${name}`)
const files = ['src', 'client', 'statements'].flatMap(filesIn)
const textOf = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]))

const importsOf = (file: string, text = readFileSync(join(root, file), 'utf8')) =>
  [...text.matchAll(/(?:from|import)\s*\(?\s*'([^'\s]+)'/g)].map(([, target = '']) => ({
    file,
    target: target.startsWith('.') ? normalize(join(dirname(file), target)) : target,
  }))
const imports = files.flatMap((file) => importsOf(file, textOf.get(file)))

/** The folder of src that a file is in, or the file itself if it is in none; undefined outside of src. */
const placeOf = (file: string) => /^src\/([\w.-]+)/.exec(file)?.[1]
const floorOf = (place: string) => [...order, ...composing].indexOf(place)

test('everything in src has its place in the order', () => {
  expect(files.length).toBeGreaterThan(200)
  expect([...new Set(files.map(placeOf))].filter((place) => place && floorOf(place) < 0)).toEqual([])
})

test('imports point down, types included', () => {
  const upward = imports.filter(({ file, target }) => {
    const [from, to] = [placeOf(file), placeOf(target)]
    return from && to && !composing.includes(from) && floorOf(to) > floorOf(from)
  })
  expect(upward).toEqual([])
})

test('no file imports itself through others, types included', () => {
  const targets = Map.groupBy(imports, ({ file }) => file)
  const reached = (file: string, seen = new Set<string>()): Set<string> => {
    for (const { target } of targets.get(file) ?? []) if (!seen.has(target)) reached(target, seen.add(target))
    return seen
  }
  expect(files.filter((file) => reached(file).has(file))).toEqual([])
})

test('imports of the statement reader point down, and it takes nothing but what is pure', () => {
  const floorOf = (file: string) => readerOrder.indexOf(dirname(file).replace(/^statements\/?/, ''))
  const outside: Record<string, RegExp> = {
    fflate: /^statements\/tables\/xlsx\/zip\.ts$/,
    'node:fs': /^statements\/command\/run\.ts$/,
    'node:util': /^statements\/command\/run\.ts$/,
  }
  const own = imports.filter(({ file }) => file.startsWith('statements/'))
  const strays = own.filter(({ file, target }) =>
    target.startsWith('statements/')
      ? floorOf(file) < 0 || floorOf(target) > floorOf(file)
      : !/^src\/domain\//.test(target) && !outside[target]?.test(file),
  )
  expect(own.length).toBeGreaterThan(200)
  expect(strays).toEqual([])
})

test('tests of the statement reader need nothing of the service either', () => {
  const own = filesIn('test/statements').flatMap((file) => importsOf(file))
  expect(own.length).toBeGreaterThan(100)
  expect(own.filter(({ target }) => /^(src\/(?!domain\/)|client\/|test\/worker\/)/.test(target))).toEqual([])
})

test('statements are run by name: no result is read by its position', () => {
  const positional = files.filter((file) => /\.batch\(/.test(textOf.get(file) ?? ''))
  expect(positional).toEqual(['src/database/run.ts'])
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
    .filter(({ file }) => file.startsWith('client/'))
    .filter(
      ({ target }) =>
        !/^client\/|^src\/(domain|failures)\/|^src\/[\w/]+\/([\w-]*contract[\w-]*)\.ts$/.test(target),
    )
    .map(({ file, target }) => `${file}: ${target}`)
  expect([...new Set(foreign)].sort()).toEqual([
    'client/api.ts: hono',
    'client/api.ts: hono/client',
    'client/api.ts: hono/types',
    'client/api.ts: hono/utils/http-status',
    'client/api.ts: src/app.ts',
    'client/create.ts: hono/client',
    'client/ledger/validate.ts: zod/mini',
    'client/unwrap.ts: hono/client',
    'client/unwrap.ts: hono/types',
    'client/unwrap.ts: hono/utils/http-status',
  ])
})

test('no private interface of a dependency is used', () => {
  const names =
    /\b_prepare\b|\b_zod\b|bodyCache|SQLiteSession|\.decoder\b|Object\(\w+\) as|as unknown as|\bunstable_|\bexperimental_/
  const dev = readdirSync(join(root, 'dev'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.m?ts$/.test(name))
    .map((name) => `dev/${name}`)
  const users = [...files, ...dev].filter((file) => names.test(readFileSync(join(root, file), 'utf8')))
  expect(users.map((file) => relative('.', file))).toEqual([])
})
