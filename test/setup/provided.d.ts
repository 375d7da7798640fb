import 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the databases of the tests are; each path below it is a database of its own, migrated already. */
    libsqlUrl: string
    /** Each request to it starts an inbox and an identity provider, and responds with the variables that name them. */
    neighboursUrl: string
    /** Responds with what tests in Node share (`/stack`, `/app`, `/browser`), which the first request starts. */
    sharedUrl: string
    /** FUZZ_SEED and FUZZ_REQUESTS, for a longer run of test/worker/abuse/fuzz.test.ts. */
    fuzz: { seed: string | undefined; requests: string | undefined }
    /** MODEL_SEED and MODEL_OPERATIONS, for a longer run of test/worker/model. */
    model: { seed: string | undefined; operations: string | undefined }
    /** DEVICES_SEED and DEVICES_OPERATIONS, for a longer run of test/worker/devices. */
    checks: { seed: string | undefined; operations: string | undefined }
    devices: { seed: string | undefined; operations: string | undefined }
    /** RECURRING_SEED and RECURRING_OPERATIONS, for a longer run of test/worker/recurring/random.test.ts. */
    recurring: { seed: string | undefined; operations: string | undefined }
  }
}
