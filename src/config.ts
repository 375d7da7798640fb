import * as z from 'zod'
import { parseScryptCost } from './domain/passwords.ts'
import type { Config } from './http/app-types.ts'

const schema = z.object({
  TURSO_DATABASE_URL: z.string().min(1),
  TURSO_AUTH_TOKEN: z.string().optional(),
  FRONTEND_URL: z.url(),
  CORS_ORIGINS: z.string().default(''),
  SCRYPT_COST: z.string().transform(parseScryptCost),
})

const parsed = new WeakMap<object, Config>()

/** Reads the Worker's bindings, once for each environment; throws an error that names every wrong one. */
export function readConfig(env: object): Config {
  const config = parsed.get(env) ?? parse(env)
  parsed.set(env, config)
  return config
}

function parse(env: object): Config {
  const result = schema.safeParse(env)
  if (!result.success) throw new Error(`Wrong configuration: ${z.prettifyError(result.error)}`)
  const { data } = result
  const frontendUrl = data.FRONTEND_URL.replace(/\/+$/, '')
  return {
    database: { url: data.TURSO_DATABASE_URL, authToken: data.TURSO_AUTH_TOKEN, timeoutMs: 8_000 },
    frontendUrl,
    allowedOrigins: [
      new URL(frontendUrl).origin,
      'http://localhost',
      'http://localhost:*',
      'https://localhost',
      'capacitor://localhost',
      ...data.CORS_ORIGINS.split(',')
        .map((origin) => origin.trim())
        .filter(Boolean),
    ],
    scryptCost: data.SCRYPT_COST,
  }
}
