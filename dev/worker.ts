import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { DevError } from './dev-error.ts'
import { type GuardedProcess, startGuarded } from './guarded-process.ts'
import type { DatabaseAddress } from './local-database.ts'
import { startedByStack } from './project.ts'
import { frontendUrl, localOrigin, type Settings } from './settings.ts'
import type { StateFolder } from './state-folder.ts'

const askAgainMs = 250
const responseLimitMs = 5_000

/** The Worker's variables by name. Those that are missing have the value of wrangler.toml. */
export type WorkerVariables = Record<string, string>

/** The parts that the Worker uses. */
export type Parts = {
  database: DatabaseAddress
  inbox?: string | undefined
  issuer?: string | undefined
}

/** The local identity provider knows exactly one relying party: this Worker. */
export function localClient(settings: Settings, state: StateFolder) {
  return {
    clientId: 'purse-local',
    clientSecret: state.secret('idp-client-secret'),
    redirectUris: [`${settings.appUrl.replace(/\/+$/, '')}/api/auth/idp/callback`],
  }
}

/** Combines what the environment gives with where the local parts are. */
export function workerVariables(settings: Settings, state: StateFolder, parts: Parts): WorkerVariables {
  const { mail, identityProvider } = settings
  const client = 'port' in identityProvider ? localClient(settings, state) : identityProvider
  const mailUrl = 'port' in mail ? parts.inbox : mail.baseUrl
  return {
    APP_URL: settings.appUrl,
    FRONTEND_URL: frontendUrl(settings),
    MAIL_FROM: settings.mailFrom,
    IDP_ISSUER: 'port' in identityProvider ? (parts.issuer ?? '') : identityProvider.issuer,
    IDP_CLIENT_ID: client.clientId,
    IDP_CLIENT_SECRET: client.clientSecret,
    TURSO_DATABASE_URL: parts.database.url,
    TURSO_AUTH_TOKEN: parts.database.authToken,
    APP_SECRET: settings.appSecret ?? state.secret('app-secret'),
    RESEND_API_KEY: 'port' in mail ? 're_local' : mail.apiKey,
    ...(mailUrl && { RESEND_BASE_URL: mailUrl }),
  }
}

/** Starts `wrangler dev`, which ends with this process, however that ends. Its output is passed on as it is. */
export function startWorker(
  { projectDirectory, host, worker }: Settings,
  state: StateFolder,
  variables: WorkerVariables,
  say: (line: string) => void,
): GuardedProcess {
  const directory = state.path('wrangler')
  const environment: NodeJS.ProcessEnv = {
    ...process.env,
    ...variables,
    CLOUDFLARE_CF_FETCH_ENABLED: 'false',
    CLOUDFLARE_LOAD_DEV_VARS_FROM_DOT_ENV: 'true', // makes wrangler read the variables from its environment
    [startedByStack]: 'true',
    WRANGLER_HIDE_BANNER: 'true',
    WRANGLER_REGISTRY_PATH: path.join(directory, 'registry'),
    WRANGLER_SEND_METRICS: 'false',
    // wrangler would also write each line to a file, which was a quarter of its CPU for a request.
    WRANGLER_WRITE_LOGS: 'false',
  }
  // Always the top level of wrangler.toml, never [env.production] by an exported variable.
  delete environment.CLOUDFLARE_ENV
  return startGuarded({
    command: [
      process.execPath,
      path.join(projectDirectory, 'node_modules/wrangler/bin/wrangler.js'),
      'dev',
      `--port=${worker.port}`,
      `--ip=${host}`,
      '--inspector-port=0', // any free one
      `--persist-to=${directory}`,
      '--show-interactive-dev-session=false',
      '--env-file=/dev/null', // instead of .dev.vars and .env
    ],
    directory: projectDirectory,
    environment,
    onLine: say,
  })
}

/**
 * Waits until the Worker responds with 200 at /api/health. Throws a DevError when it says that its settings are wrong, or with
 * its last response once the limit has passed, and the signal's reason if it aborts.
 */
export async function waitForHealth(settings: Settings, limitMs: number, signal: AbortSignal): Promise<void> {
  const url = `${localOrigin(settings.host, settings.worker.port)}/api/health`
  const deadline = Date.now() + limitMs
  for (;;) {
    const { status, text } = await ask(url)
    if (status === 200) return
    const fault = status === 500 && messageIn(text)
    if (fault) throw new DevError(`the Worker responds with 500: ${fault}`)
    signal.throwIfAborted()
    if (Date.now() > deadline)
      throw new DevError(
        `${url} did not respond with 200 within ${limitMs / 1_000} seconds: ${status} ${text}`,
      )
    await sleep(askAgainMs)
  }
}

/** The response; its status is 0 if there was none. */
async function ask(url: string): Promise<{ status: number; text: string }> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(responseLimitMs) })
    return { status: response.status, text: (await response.text()).slice(0, 500) }
  } catch (error) {
    return { status: 0, text: error instanceof Error ? error.message : String(error) }
  }
}

/** The message of one of the Worker's own error responses. */
function messageIn(text: string): string | undefined {
  try {
    return JSON.parse(text).message
  } catch {
    return undefined
  }
}
