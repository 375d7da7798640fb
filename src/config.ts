import * as z from 'zod/mini'
import type { DatabaseAddress } from './database/client.ts'
import { type Budgets, defaultBudgets, parseBudgets } from './failures/budgets.ts'
import { reportOf } from './failures/error-report.ts'
import { ConfigurationError } from './failures/failures.ts'
import type { LinkBase } from './identity/links.ts'
import type { ProviderSettings } from './identity/openid-client.ts'
import { parseScryptCost, type ScryptCost } from './identity/passwords.ts'
import { secretsOf } from './identity/secrets.ts'

/** The Worker's bindings, parsed and validated. */
export type Config = {
  database: DatabaseAddress
  frontendUrl: string
  /** Origins that CORS allows; `:*` matches any port. */
  allowedOrigins: string[]
  scryptCost: ScryptCost
  /** Whether the general limit applies, and with it those on imports and on emails per client address. */
  hasGeneralLimit: boolean
  /** Incremented by hand after a restore from a backup, to invalidate older cursors and ETags. */
  changesEpoch: number
  /** Identifies this deployment of the Worker. */
  release: string
  links: LinkBase
  mailer: MailerSettings
  /** Undefined if none is configured. */
  provider: ProviderSettings | undefined
  budgets: Budgets
}

/** The settings of the email service. */
export type MailerSettings = { apiKey: string; baseUrl: string; from: string }

const scryptCostText = 'Write scrypt costs as "N,r,p", for example "16384,8,5"'
const budgetsText = 'Write budgets of time as JSON, for example {"requestMs":8000}'
const httpUrlText = 'Must be an http: or https: URL'
const text = z.string('Required')
const nonEmptyText = text.check(z.minLength(1, 'Required'))
const optionalText = z._default(text, '')
// Without `protocol`, localhost:5173 would be a URL with the scheme localhost.
const url = z.url({ protocol: /^https?$/, error: httpUrlText })
/** A text that `parse` reads; it is invalid if the result is undefined. */
const parsedText = <T>(parse: (text: string) => T | undefined, message: string) =>
  z.pipe(
    text,
    z.transform((input, { issues }) => {
      const value = parse(input)
      if (value === undefined) issues.push({ code: 'custom', input, message })
      return value ?? z.NEVER
    }),
  )
// Another form, such as *, would match no origin.
const originPattern = /^[a-z][a-z\d+.-]*:\/\/[^\s/*?#]+(:\*)?$/

const variables = z.object({
  TURSO_DATABASE_URL: z.url({ protocol: /^(libsql|https?)$/, error: 'Must be a libsql: or https: URL' }),
  TURSO_AUTH_TOKEN: z.optional(text),
  KEPT_STREAMS: z._default(text.check(z.regex(/^\d{1,2}$/, 'Must be a whole number below 100')), '8'),
  FRONTEND_URL: url,
  CORS_ORIGINS: optionalText.check(
    z.refine(
      (input) => parseList(input).every((one) => originPattern.test(one)),
      'Write origins as https://app.example.com',
    ),
  ),
  // Links are made by appending a path to it.
  APP_URL: url.check(z.regex(/^[^?#]*$/, 'Must have no query or fragment')),
  APP_SECRET: text.check(
    z.refine(
      (input) => secretsOf(input).every((one) => one.length >= 32),
      'Use at least 32 random characters',
    ),
  ),
  RESEND_API_KEY: nonEmptyText,
  RESEND_BASE_URL: url,
  MAIL_FROM: nonEmptyText,
  IDP_ISSUER: optionalText.check(
    z.refine((input) => input === '' || url.safeParse(input).success, httpUrlText),
  ),
  IDP_CLIENT_ID: optionalText,
  IDP_CLIENT_SECRET: optionalText,
  GENERAL_LIMIT_ENABLED: z._default(z.enum(['true', 'false'], 'Must be true or false'), 'true'),
  CHANGES_EPOCH: z._default(text.check(z.regex(/^\d{1,9}$/, 'Must be a whole number')), '1'),
  RELEASE: z.optional(z.object({ id: text })),
  SCRYPT_COST: parsedText(parseScryptCost, scryptCostText),
  BUDGETS: z._default(parsedText(parseBudgets, budgetsText), defaultBudgets),
})

/**
 * Rules for several variables, checked if each is valid: an identity provider needs both credentials; a deployment
 * (`https:` in APP_URL) needs its own domain.
 */
const schema = variables.check(({ value, issues }) => {
  const reject = (name: keyof typeof value, message: string) =>
    issues.push({ code: 'custom', input: value[name], path: [name], message })
  if (value.APP_URL.startsWith('https:'))
    for (const name of ['APP_URL', 'FRONTEND_URL', 'MAIL_FROM'] as const)
      if (value[name].includes('purse.example'))
        reject(name, 'Use your own domain: purse.example is a placeholder')
  for (const name of ['IDP_CLIENT_ID', 'IDP_CLIENT_SECRET'] as const)
    if (value.IDP_ISSUER && !value[name]) reject(name, 'Needed if IDP_ISSUER is set')
})

const parsed = new WeakMap<object, Config>()

/** Reads the Worker's bindings, once per `env` object. Throws ConfigurationError. */
export function readConfig(env: object): Config {
  const config = parsed.get(env) ?? parse(env)
  parsed.set(env, config)
  return config
}

/** Logs invalid bindings when the Worker starts. */
export function reportConfiguration(env: object): void {
  try {
    readConfig(env)
  } catch (error) {
    console.error(JSON.stringify({ event: 'not configured', ...reportOf(error) }))
  }
}

function parse(env: object): Config {
  const result = schema.safeParse(env)
  if (!result.success) {
    // Without the values, which may be secrets.
    const problems = result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
    throw new ConfigurationError(problems.join('; '))
  }
  const { data } = result
  const frontendUrl = withoutSlash(data.FRONTEND_URL)
  const appUrl = withoutSlash(data.APP_URL)
  return {
    database: {
      url: data.TURSO_DATABASE_URL,
      authToken: data.TURSO_AUTH_TOKEN,
      keptStreams: Number(data.KEPT_STREAMS),
      budgets: data.BUDGETS,
    },
    frontendUrl,
    allowedOrigins: [
      new URL(frontendUrl).origin,
      ...localOrigins,
      ...parseList(data.CORS_ORIGINS).map(normalizeOrigin),
    ],
    scryptCost: data.SCRYPT_COST,
    hasGeneralLimit: data.GENERAL_LIMIT_ENABLED === 'true',
    changesEpoch: Number(data.CHANGES_EPOCH),
    release: data.RELEASE?.id.slice(0, 8) ?? 'local',
    links: { appUrl, secret: data.APP_SECRET },
    budgets: data.BUDGETS,
    mailer: { apiKey: data.RESEND_API_KEY, baseUrl: data.RESEND_BASE_URL, from: data.MAIL_FROM },
    provider: data.IDP_ISSUER
      ? {
          issuer: data.IDP_ISSUER,
          clientId: data.IDP_CLIENT_ID,
          clientSecret: data.IDP_CLIENT_SECRET,
          redirectUri: `${appUrl}/api/auth/idp/callback`,
        }
      : undefined,
  }
}

/** Always allowed, in production too: frontends during development, and apps made with Capacitor. */
const localOrigins = [
  ...['localhost', '127.0.0.1', '[::1]'].flatMap((host) => [`http://${host}`, `http://${host}:*`]),
  'https://localhost',
  'capacitor://localhost',
]

function parseList(text: string): string[] {
  const entries = text.split(',').map((entry) => withoutSlash(entry.trim()))
  return entries.filter(Boolean)
}

/** An origin as browsers send it. `:*` and schemes other than http and https are unchanged. */
function normalizeOrigin(entry: string): string {
  const origin = URL.parse(entry)?.origin ?? 'null'
  return origin === 'null' ? entry : origin
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '')
}
