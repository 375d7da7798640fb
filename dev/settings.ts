import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import path from 'node:path'
import { DevError } from './dev-error.ts'

/** A part that this machine runs itself. */
export type LocalPart = {
  port: number
}

/** What `npm run dev` starts. A part for which the environment names a service is not started here. */
export type Settings = {
  projectDirectory: string
  stateDirectory: string
  /** The IP address that all parts but the database listen on. */
  host: string
  /** The host name under which browsers and devices find the parts. */
  publicHost: string
  worker: LocalPart
  database: LocalPart | { url: string; authToken: string }
  mail: LocalPart | { apiKey: string; baseUrl: string | undefined }
  identityProvider: LocalPart | { issuer: string; clientId: string; clientSecret: string }
  /** The example app, or the developer's own frontend, to which links and sign-ins lead instead. */
  app: LocalPart | { url: string }
  appUrl: string
  mailFrom: string
  /** Kept in the state folder when the environment has none. */
  appSecret: string | undefined
}

/** A local part with its port and the variable that changes it. */
export type PortUse = {
  part: string
  variable: string
  port: number
}

type Environment = Record<string, string | undefined>

/** The database listens here only, and so does everything else without HOST. */
export const loopback = '127.0.0.1'

/** Reads the environment. Throws a DevError that names the variables that are wrong. */
export function readSettings(environment: Environment, projectDirectory: string): Settings {
  const worker = { port: readPort(environment, 'PORT', 8787) }
  const host = readHost(environment)
  const appUrl = environment.APP_URL || originOf(lanAddress(host), worker.port)
  const publicHost = host === loopback ? loopback : hostOf(appUrl)
  const settings: Settings = {
    projectDirectory,
    stateDirectory: path.resolve(projectDirectory, environment.STATE_DIR || '.local'),
    host,
    publicHost,
    worker,
    database: readDatabase(environment),
    mail: readMail(environment),
    identityProvider: readIdentityProvider(environment),
    app: environment.FRONTEND_URL
      ? { url: environment.FRONTEND_URL }
      : { port: readPort(environment, 'APP_PORT', 5173) },
    appUrl,
    mailFrom: environment.MAIL_FROM || 'Purse <no-reply@purse.test>',
    appSecret: environment.APP_SECRET || undefined,
  }
  refuseSharedPorts([...portsOf(settings), ...appPort(settings)])
  return settings
}

/** Where processes of this machine find something that listens on a host and port. */
export function localOrigin(host: string, port: number): string {
  return originOf(isWildcard(host) ? loopback : host, port)
}

/** Where the frontend is. On this machine it has a name rather than an address, like the origins that may call. */
export function frontendUrl({ app, host, publicHost }: Settings): string {
  if ('url' in app) return app.url
  return originOf(host === loopback ? 'localhost' : publicHost, app.port)
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

/** The app's port need not be free: the stack can do without the app. */
function appPort({ app }: Settings): PortUse[] {
  return 'port' in app ? [{ part: 'the app', variable: 'APP_PORT', port: app.port }] : []
}

function readHost({ HOST: host }: Environment): string {
  if (!host) return loopback
  if (isIP(host) === 0)
    throw new DevError(`HOST must be an IP address, such as 0.0.0.0, not ${JSON.stringify(host)}.`)
  return host
}

/** The address that other devices use for a host to listen on: for all addresses, the first in the local network. */
function lanAddress(host: string): string {
  if (!isWildcard(host)) return host
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
  return addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? loopback
}

const isWildcard = (host: string) => host === '0.0.0.0' || host === '::'

const originOf = (host: string, port: number) => `http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`

function hostOf(url: string): string {
  const parsed = URL.parse(url)
  if (!parsed) throw new DevError(`APP_URL must be a URL, not ${JSON.stringify(url)}.`)
  return parsed.hostname.replace(/^\[|\]$/g, '')
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
  // Half a provider would fail only at a sign-in.
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
  for (const [index, use] of uses.entries()) {
    const other = uses.slice(0, index).find(({ port }) => port === use.port)
    if (other)
      throw new DevError(
        `${other.part} and ${use.part} cannot both use port ${use.port}: change ${other.variable} or ${use.variable}.`,
      )
  }
}
