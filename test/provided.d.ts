import 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the databases of the tests are; each path below it is a database of its own, migrated already. */
    libsqlUrl: string
    /** An inbox, which speaks Resend's API, and an identity provider for each runtime: tests switch their faults on. */
    neighbours: Pick<Env, 'RESEND_BASE_URL' | 'IDP_ISSUER'>[]
    /** FUZZ_SEED and FUZZ_REQUESTS, for a longer run of test/worker/abuse/fuzz.test.ts. */
    fuzz: { seed: string | undefined; requests: string | undefined }
    /** MODEL_SEED and MODEL_OPERATIONS, for a longer run of test/worker/model. */
    model: { seed: string | undefined; operations: string | undefined }
  }
}
