import { cloudflareTest } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'

/** Bundled once, since hundreds of small modules load slowly; all parts of one package, or it would be there twice. */
const bundledForTests = [
  'hono',
  ...[
    'body-limit',
    'combine',
    'cors',
    'http-exception',
    'method-not-allowed',
    'request-id',
    'route',
    'secure-headers',
  ].map((part) => `hono/${part}`),
  '@hono/zod-validator',
  'hono-rate-limiter',
  'drizzle-orm',
  'drizzle-orm/sqlite-core',
  'drizzle-orm/libsql/http',
  '@libsql/client/http',
  'zod',
]

/** Two projects: what runs in the Worker is tested in workerd, what runs in Node (the local stack, the laws) in Node. */
export default defineConfig({
  test: {
    projects: [
      {
        plugins: [
          cloudflareTest(({ inject }) => ({
            main: './src/worker.ts',
            wrangler: { configPath: './wrangler.toml' },
            miniflare: {
              bindings: {
                // A file's own database; tests that want one each make it themselves (test/worker/world.ts).
                TURSO_DATABASE_URL: `${inject('libsqlUrl')}/${crypto.randomUUID()}/`,
                TURSO_AUTH_TOKEN: '',
                FRONTEND_URL: 'https://app.purse.example',
                // Hashing is slow by design; tests hash by the hundred.
                SCRYPT_COST: '1024,8,1',
              },
            },
          })),
        ],
        test: {
          name: 'worker',
          include: ['test/worker/**/*.test.ts'],
          globalSetup: './test/global-database.ts',
          isolate: false,
          testTimeout: 30_000,
          deps: {
            optimizer: {
              ssr: {
                enabled: true,
                include: bundledForTests,
              },
            },
          },
        },
      },
      {
        test: {
          name: 'node',
          include: ['test/node/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
})
