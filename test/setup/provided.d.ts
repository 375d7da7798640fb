import 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the databases of the tests are; each path below it is a database of its own, migrated already. */
    libsqlUrl: string
    /** Each request to it starts an inbox and an identity provider, and responds with the variables that name them. */
    neighboursUrl: string
    /** Responds with what tests in Node share (`/stack`, `/app`, `/browser`), which the first request starts. */
    sharedUrl: string
    /** LIVES_SEED and LIVES_TIMES: another seed for random tests, and how many times longer they run. */
    lives: { seed: string | undefined; times: string }
  }
}
