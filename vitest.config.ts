import { globSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { cloudflareTest } from '@cloudflare/vitest-plugin'
import { configDefaults, defineConfig } from 'vitest/config'
import { budgets } from './test/budgets.ts'
import { bundledSource } from './test/setup/bundled-source.ts'
import { logScan } from './test/setup/log-scan.ts'

/** One file more than cores, since a file waits now and then; with more, each test takes longer and the whole does not end sooner. */
const filesAtOnce = availableParallelism() + 1

/** Longer than any test takes on a busy machine, so that only one that hangs meets it. */
const longestMs = 600_000
const limits = { testTimeout: longestMs, hookTimeout: longestMs }

// Wrangler looks for the secrets that wrangler.toml demands; each world brings its own.
for (const name of [
  'TURSO_DATABASE_URL',
  'TURSO_AUTH_TOKEN',
  'APP_SECRET',
  'RESEND_API_KEY',
  'IDP_CLIENT_SECRET',
]) {
  process.env[name] = 'of a test'
}

/** The packages that the Worker and its tests import, each under the names that they use. */
function packagesInWorkerd(): string[] {
  const files = globSync(['{src,client,statements,test/worker}/**/*.ts', 'test/contract.ts'], {
    cwd: import.meta.dirname,
  })
  const names = files.flatMap((file) =>
    [...readFileSync(path.join(import.meta.dirname, file), 'utf8').matchAll(/ from '([^'.][^']*)'$/gm)].map(
      ([, name = '']) => name,
    ),
  )
  return [...new Set(names)].filter((name) => !/^(cloudflare|node):|^vitest$/.test(name)).sort()
}

const packages = packagesInWorkerd()

/** The files of a tier in a folder: `--mode long` runs `*.long.test.ts`; without it, all others run. */
function tier(mode: string, folder: string): { include: string[]; exclude: string[] } {
  const long = `test/${folder}/**/*.long.test.ts`
  if (mode === 'long') return { include: [long], exclude: [] }
  return { include: [`test/${folder}/**/*.test.ts`], exclude: [long, `test/${folder}/**/*.alone.test.ts`] }
}

/** The Worker is tested in workerd, the local stack, the client and the guides in Node, and the readers of files in Node alone. */
export default defineConfig(({ mode }) => ({
  test: {
    // Tests provoke failures, which the Worker logs; what it says matters where a test fails.
    silent: 'passed-only',
    maxWorkers: filesAtOnce,
    // Tests in workerd get the source as a whole, and those in Node start processes of it.
    forceRerunTriggers: [...configDefaults.forceRerunTriggers, '**/{src,client,statements}/**/*.ts'],
    projects: [
      {
        plugins: [
          logScan(),
          bundledSource(),
          cloudflareTest(async ({ inject }) => ({
            main: './src/worker.ts',
            wrangler: { configPath: './wrangler.toml' },
            miniflare: {
              // Vitest talks to workerd through a socket, and compressing that takes longer than it saves.
              compatibilityFlags: ['no_web_socket_compression'],
              bindings: {
                // Each runtime of workerd has an inbox and a provider of its own.
                ...(await (await fetch(inject('neighboursUrl'))).json()),
                // A file's own database; tests that want one each make it themselves (test/worker/fixtures/world.ts).
                TURSO_DATABASE_URL: `${inject('libsqlUrl')}/${crypto.randomUUID()}/`,
                TURSO_AUTH_TOKEN: '',
                APP_URL: 'http://purse.test',
                APP_SECRET: 'a secret of the tests, long enough to be one',
                RESEND_API_KEY: 're_test',
                IDP_CLIENT_ID: 'purse-tests',
                IDP_CLIENT_SECRET: 'a secret of the tests',
                FRONTEND_URL: 'https://app.purse.example',
                // These two as well, since a .dev.vars that `npm run dev` has left would set them.
                CORS_ORIGINS: '',
                MAIL_FROM: 'Purse <no-reply@purse.example>',
                // Hashing is slow by design; tests hash by the thousand, and those of its cost set it.
                SCRYPT_COST: '16,8,1',
                // Tests call by the thousand; those of the limits switch it on.
                GENERAL_LIMIT_ENABLED: 'false',
                // Tests about a budget of time set it.
                ...budgets(),
              },
            },
          })),
        ],
        test: {
          name: 'worker',
          ...tier(mode, 'worker'),
          globalSetup: './test/setup/neighbours.ts',
          setupFiles: ['./test/worker/fixtures/kept-log.ts', './test/worker/fixtures/real-clock.ts'],
          provide: {
            lives: {
              seed: process.env.LIVES_SEED,
              times: process.env.LIVES_TIMES ?? (mode === 'long' ? '10' : '1'),
            },
          },
          isolate: false,
          // Bundled once, into node_modules/.vite: else every run carries their files into workerd one by one.
          deps: {
            optimizer: { ssr: { enabled: true, include: packages } },
          },
          ...limits,
        },
      },
      {
        // The readers keep nothing between files, so they are loaded once.
        test: { name: 'statements', ...tier(mode, 'statements'), isolate: false, ...limits },
      },
      {
        plugins: [logScan()],
        test: {
          name: 'node',
          ...tier(mode, 'node'),
          globalSetup: ['./test/setup/reference.ts', './test/setup/shared-stack.ts'],
          setupFiles: './test/node/fixtures/checked-fetch.ts',
          ...limits,
        },
      },
      {
        // What asserts elapsed time runs after everything else, one file at a time.
        test: {
          name: 'alone',
          include: mode === 'long' ? [] : ['test/**/*.alone.test.ts'],
          globalSetup: './test/setup/shared-stack.ts',
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
          ...limits,
        },
      },
    ],
  },
}))
