import * as arctic from 'arctic'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { startIdentityProvider } from '../../dev/idp/server.ts'

type IdentityProvider = Awaited<ReturnType<typeof startIdentityProvider>>
type Claims = Record<string, unknown>

const redirectUri = 'http://localhost:8787/api/auth/idp/callback'
const client = new arctic.OAuth2Client('purse', 'local-secret', redirectUri)
const verifier = arctic.generateCodeVerifier()

let provider: IdentityProvider

beforeEach(async () => {
  await open()
})

afterEach(async () => {
  vi.restoreAllMocks()
  await provider.close()
})

async function open(): Promise<void> {
  const credentials = { clientId: 'purse', clientSecret: 'local-secret', redirectUris: [redirectUri] }
  provider = await startIdentityProvider({ port: 0, ...credentials })
}

async function reopen(): Promise<void> {
  await provider.close()
  await open()
}

/** A browser's cookies regardless of path: the provider must not rely on the browser to hold some back. */
class Browser {
  cookies = new Map<string, string>()

  /** Follows redirects up to the client, or to a page. */
  async follow(url: URL, init: RequestInit = {}): Promise<{ arrived?: URL; page?: Response; url: URL }> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, {
      ...init,
      headers: { cookie, accept: 'text/html' },
      redirect: 'manual',
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      this.cookies.set(name, value)
    }
    const location = response.headers.get('location')
    if (!location) return { page: response, url }
    const next = new URL(location, url)
    return next.href.startsWith(redirectUri) ? { arrived: next, url } : this.follow(next)
  }
}

async function discover(): Promise<Record<string, string>> {
  return (await fetch(`${provider.issuer}/.well-known/openid-configuration`)).json() as Promise<
    Record<string, string>
  >
}

async function authorizationUrl(parameters: Record<string, string> = {}): Promise<URL> {
  const { authorization_endpoint = '' } = await discover()
  const scopes = ['openid', 'email', 'profile']
  const method = arctic.CodeChallengeMethod.S256
  const url = client.createAuthorizationURLWithPKCE(
    authorization_endpoint,
    'state-1',
    method,
    verifier,
    scopes,
  )
  for (const [name, value] of Object.entries({ nonce: 'nonce-1', ...parameters }))
    url.searchParams.set(name, value)
  return url
}

async function exchange(arrived: URL | undefined): Promise<arctic.OAuth2Tokens> {
  const { token_endpoint = '' } = await discover()
  return client.validateAuthorizationCode(token_endpoint, arrived?.searchParams.get('code') ?? '', verifier)
}

/** The claims of an id_token that one of the published keys has signed. */
async function verified(idToken: string): Promise<Claims> {
  const { jwks_uri = '' } = await discover()
  const { keys } = (await (await fetch(jwks_uri)).json()) as { keys: (JsonWebKey & { kid: string })[] }
  const [head = '', body = '', signature = ''] = idToken.split('.')
  const { kid, alg } = JSON.parse(Buffer.from(head, 'base64url').toString())
  const jwk = keys.find((key) => key.kid === kid)
  if (!jwk || alg !== 'RS256') throw new Error('The id_token names no published RS256 key.')
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('jwk', jwk, algorithm, false, ['verify'])
  const signed = Buffer.from(`${head}.${body}`)
  expect(await crypto.subtle.verify(algorithm, key, Buffer.from(signature, 'base64url'), signed)).toBe(true)
  return JSON.parse(Buffer.from(body, 'base64url').toString())
}

async function signIn(hint: string, browser = new Browser()): Promise<Claims> {
  const { arrived } = await browser.follow(await authorizationUrl({ login_hint: hint }))
  return verified((await exchange(arrived)).idToken())
}

/** Fills in the page that is shown without a hint. */
async function fillIn(fields: Record<string, string>, browser = new Browser()) {
  const { url, page } = await browser.follow(await authorizationUrl())
  expect(await page?.text()).toContain('<form method="post"')
  return browser.follow(url, { method: 'POST', body: new URLSearchParams(fields) })
}

const faults = (method: string, order?: unknown) =>
  fetch(`${provider.issuer}/faults`, { method, ...(order ? { body: JSON.stringify(order) } : {}) })

it('signs in at once as the address in login_hint, without a page and without cookies', async () => {
  const url = await authorizationUrl({ login_hint: 'anna.smith@example.com' })
  const response = await fetch(url, { redirect: 'manual' })
  expect(response.status).toBe(303)
  const arrived = new URL(response.headers.get('location') ?? '')
  expect(arrived.href.startsWith(redirectUri)).toBe(true)
  expect(arrived.searchParams.get('state')).toBe('state-1')
  const claims = await verified((await exchange(arrived)).idToken())
  expect(claims).toMatchObject({
    iss: provider.issuer,
    aud: 'purse',
    nonce: 'nonce-1',
    email: 'anna.smith@example.com',
    email_verified: true,
    name: 'Anna Smith',
    picture: expect.stringContaining(provider.issuer),
  })
  expect(claims.sub).toEqual(expect.stringMatching(/^[0-9a-f]{32}$/))
  expect(Number(claims.exp)).toBeGreaterThan(Date.now() / 1000)
})

it('signs in as whoever the hint names, whoever the browser signed in as before', async () => {
  const browser = new Browser()
  const anna = await signIn('anna@example.com', browser)
  const ben = await signIn('ben@example.com', browser)
  expect(ben).toMatchObject({ email: 'ben@example.com' })
  expect(ben.sub).not.toBe(anna.sub)
  const { page } = await browser.follow(await authorizationUrl())
  expect(await page?.text()).toContain('<h1>Sign in</h1>')
})

it('recognises a person by the address in any spelling, across a restart', async () => {
  const { sub } = await signIn('anna@example.com')
  await reopen()
  expect(await signIn('Anna@Example.com')).toMatchObject({ sub, email: 'Anna@Example.com' })
})

it('redirects to no address that the client has not registered', async () => {
  const url = await authorizationUrl({ login_hint: 'anna@example.com', redirect_uri: 'http://evil.example/' })
  const { arrived, page } = await new Browser().follow(url)
  expect(arrived).toBeUndefined()
  expect(page?.status).toBe(400)
})

it('asks again when the form holds no address, and shows what was typed as text', async () => {
  const { page } = await fillIn({ address: '"><script>alert(1)</script>', name: 'Anna' })
  expect(page?.status).toBe(422)
  const html = await page?.text()
  expect(html).toContain('This is not an address.')
  expect(html).not.toContain('<script')
})

it('fails the endpoint that it is told to, until it is reset', async () => {
  const { token_endpoint, jwks_uri, userinfo_endpoint } = await discover()
  const discovery = `${provider.issuer}/.well-known/openid-configuration`
  const endpoints = { token: token_endpoint, jwks: jwks_uri, userinfo: userinfo_endpoint, discovery }
  for (const [endpoint, url = ''] of Object.entries(endpoints)) {
    const method = endpoint === 'token' ? 'POST' : 'GET'
    await faults('POST', { endpoint, status: 503 })
    expect((await fetch(url, { method })).status).toBe(503)
    await faults('POST', { endpoint, nonsense: true })
    const nonsense = await fetch(url, { method })
    expect(nonsense.status).toBe(200)
    await expect(nonsense.json()).rejects.toThrow(SyntaxError)
    await faults('DELETE')
    expect((await (await fetch(url, { method })).json()) as object).toBeTypeOf('object')
  }
})
