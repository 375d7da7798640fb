import { DevError } from './dev-error.ts'
import type { DatabaseAddress } from './local-database.ts'
import type { Settings } from './settings.ts'
import type { StateFolder } from './state-folder.ts'

/** The Worker's variables by name. wrangler silently drops one that wrangler.toml does not list. */
export type WorkerVariables = Record<string, string>

/** The addresses of the parts that were started here. */
export type LocalAddresses = {
  database?: DatabaseAddress
  inbox?: string
  issuer?: string
}

/** The local identity provider knows exactly one relying party: this Worker. */
export function localClient(settings: Settings, state: StateFolder) {
  return {
    clientId: 'purse-local',
    clientSecret: state.secret('idp-client-secret'),
    redirectUris: [`${settings.appUrl.replace(/\/+$/, '')}/api/auth/idp/callback`],
  }
}

/** Where the frontend is: under a name rather than an address, since that is what the Worker's list of origins has. */
export const frontendUrl = (app: Settings['app']): string =>
  'port' in app ? `http://localhost:${app.port}` : app.url

/** Combines what the environment gives with what the local parts provide. */
export function workerVariables(
  settings: Settings,
  state: StateFolder,
  local: LocalAddresses,
): WorkerVariables {
  const { app, mail, identityProvider } = settings
  const database = 'port' in settings.database ? local.database : settings.database
  const client = 'port' in identityProvider ? localClient(settings, state) : identityProvider
  const mailUrl = 'port' in mail ? local.inbox : mail.baseUrl
  return {
    ...settings.passedThrough,
    APP_URL: settings.appUrl,
    FRONTEND_URL: frontendUrl(app),
    MAIL_FROM: settings.mailFrom,
    IDP_ISSUER: 'port' in identityProvider ? (local.issuer ?? '') : identityProvider.issuer,
    IDP_CLIENT_ID: client.clientId,
    IDP_CLIENT_SECRET: client.clientSecret,
    TURSO_DATABASE_URL: database?.url ?? '',
    TURSO_AUTH_TOKEN: database?.authToken ?? '',
    APP_SECRET: settings.appSecret ?? state.secret('app-secret'),
    RESEND_API_KEY: 'port' in mail ? 're_local' : mail.apiKey,
    // Without it, the one of wrangler.toml counts: Resend's own.
    ...(mailUrl === undefined ? {} : { RESEND_BASE_URL: mailUrl }),
  }
}

/**
 * The variables as a file that wrangler's `--env-file` reads back to the very same values. Throws a DevError for a value
 * that no quotes can enclose.
 */
export function toEnvFile(variables: WorkerVariables): string {
  // There wrangler expands $NAME, whatever the quotes.
  return toLines(variables, (value) => value.replaceAll('$', '\\$'))
}

/** The same for `.dev.vars`, in which wrangler expands nothing. */
export function toDevVars(variables: WorkerVariables): string {
  return toLines(variables, (value) => value)
}

function toLines(variables: WorkerVariables, escaped: (value: string) => string): string {
  return Object.entries(variables)
    .map(([name, value]) => {
      const mark = quoteMark(name, value)
      return `${name}=${mark}${escaped(value)}${mark}\n`
    })
    .join('')
}

function quoteMark(name: string, value: string): string {
  // The format has no escape for quotes: one that does not occur must enclose the value. Double quotes
  // come last and never round a backslash, since they alone turn \n into a line break; a backslash at
  // the end would hide any closing quote.
  const mark = ["'", '`', '"'].find((one) => !value.includes(one))
  if (mark === undefined || value.endsWith('\\') || (mark === '"' && value.includes('\\')))
    throw new DevError(`${name} has quotes or backslashes that cannot be handed to the Worker.`)
  return mark
}
