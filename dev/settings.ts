import path from 'node:path'
import { DevError } from './dev-error.ts'

/** A part that this machine runs itself, on a loopback port. */
export type LocalPart = {
  port: number
}

/** What `npm run dev` starts. A part for which the environment names a service is not started here. */
export type Settings = {
  projectDirectory: string
  stateDirectory: string
  worker: LocalPart
  database: LocalPart | { url: string; authToken: string }
  mail: LocalPart | { apiKey: string; baseUrl: string | undefined }
  identityProvider: LocalPart | { issuer: string; clientId: string; clientSecret: string }
  /** The example app, or somebody's own frontend, to which links and sign-ins lead instead. */
  app: LocalPart | { url: string }
  appUrl: string
  mailFrom: string
  /** Kept in the state folder when the environment has none. */
  appSecret: string | undefined
  /** Passed to the Worker as they are; without them it uses the values of wrangler.toml. */
  passedThrough: Record<string, string>
}

/** A local part with its port and the variable that changes it. */
export type PortUse = {
  part: string
  variable: string
  port: number
}

type Environment = Record<string, string | undefined>

const passedThroughNames = ['CORS_ORIGINS', 'GENERAL_LIMIT_ENABLED']

/** Reads the environment. Throws a DevError that names the variables that are wrong. */
export function readSettings(environment: Environment, projectDirectory: string): Settings {
  const worker = { port: readPort(environment, 'PORT', 8787) }
  const settings: Settings = {
    projectDirectory,
    stateDirectory: path.resolve(projectDirectory, environment.STATE_DIR || '.local'),
    worker,
    database: readDatabase(environment),
    mail: readMail(environment),
    identityProvider: readIdentityProvider(environment),
    app: environment.FRONTEND_URL
      ? { url: environment.FRONTEND_URL }
      : { port: readPort(environment, 'APP_PORT', 5173) },
    appUrl: environment.APP_URL || `http://127.0.0.1:${worker.port}`,
    mailFrom: environment.MAIL_FROM || 'Purse <no-reply@purse.test>',
    appSecret: environment.APP_SECRET || undefined,
    passedThrough: Object.fromEntries(
      passedThroughNames.flatMap((name) =>
        environment[name] === undefined ? [] : [[name, environment[name]]],
      ),
    ),
  }
  refuseSharedPorts([...portsOf(settings), ...appPort(settings)])
  return settings
}

/** The app's port need not be free: the stack can do without the app. */
function appPort({ app }: Settings): PortUse[] {
  return 'port' in app ? [{ part: 'the app', variable: 'APP_PORT', port: app.port }] : []
}

/** The ports that must be free for these settings. */
export function portsOf(settings: Settings): PortUse[] {
  const { worker, database, mail, identityProvider } = settings
  const uses: PortUse[] = [{ part: 'the Worker', variable: 'PORT', port: worker.port }]
  if ('port' in database) uses.push({ part: 'libSQL', variable: 'LIBSQL_PORT', port: database.port })
  if ('port' in mail) uses.push({ part: 'the inbox', variable: 'MAIL_PORT', port: mail.port })
  if ('port' in identityProvider)
    uses.push({ part: 'the identity provider', variable: 'IDP_PORT', port: identityProvider.port })
  return uses
}

function readDatabase(environment: Environment): Settings['database'] {
  const url = environment.TURSO_DATABASE_URL
  if (!url) return { port: readPort(environment, 'LIBSQL_PORT', 8080) }
  // The address may carry a token, so it is not repeated here.
  if (!/^(libsql|https?):\/\/./.test(url))
    throw new DevError('TURSO_DATABASE_URL must begin with libsql://, https:// or http://.')
  if (/^\w+:\/\/[^/?#]*@/.test(url))
    throw new DevError(
      'TURSO_DATABASE_URL must not contain a user or password: the token goes into TURSO_AUTH_TOKEN.',
    )
  return { url, authToken: environment.TURSO_AUTH_TOKEN || '' }
}

function readMail(environment: Environment): Settings['mail'] {
  const apiKey = environment.RESEND_API_KEY
  const baseUrl = environment.RESEND_BASE_URL || undefined
  if (apiKey || baseUrl) return { apiKey: apiKey || 're_local', baseUrl }
  return { port: readPort(environment, 'MAIL_PORT', 8025) }
}

function readIdentityProvider(environment: Environment): Settings['identityProvider'] {
  const names = ['IDP_ISSUER', 'IDP_CLIENT_ID', 'IDP_CLIENT_SECRET']
  const missing = names.filter((name) => !environment[name])
  if (missing.length === names.length) return { port: readPort(environment, 'IDP_PORT', 8026) }
  // Half a provider would fail only once somebody signs in.
  if (missing.length > 0)
    throw new DevError(`${names.join(', ')} go together: set ${missing.join(' and ')} too, or none of them.`)
  const [issuer = '', clientId = '', clientSecret = ''] = names.map((name) => environment[name])
  return { issuer, clientId, clientSecret }
}

function readPort(environment: Environment, variable: string, standard: number): number {
  const text = environment[variable]
  if (!text) return standard
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (port < 1 || port > 65_535)
    throw new DevError(`${variable} must be a port from 1 to 65535, not ${JSON.stringify(text)}.`)
  return port
}

function refuseSharedPorts(uses: PortUse[]): void {
  const users = new Map<number, PortUse>()
  for (const use of uses) {
    const other = users.get(use.port)
    if (other)
      throw new DevError(
        `${other.part} and ${use.part} cannot both use port ${use.port}: change ${other.variable} or ${use.variable}.`,
      )
    users.set(use.port, use)
  }
}
