import { CodeChallengeMethod, generateCodeVerifier, OAuth2Client } from 'arctic'
import { createLocalJWKSet, decodeJwt, type JWTPayload, jwtVerify } from 'jose'
import * as z from 'zod/mini'
import { isBlank, normaliseText, trimText } from '../domain/texts.ts'
import { abortable, type Deadline } from '../failures/deadline.ts'
import { ProviderUnavailable } from '../failures/failures.ts'

/** The registration with an OpenID provider; its endpoints are discovered. */
export type ProviderSettings = { issuer: string; clientId: string; clientSecret: string; redirectUri: string }

/** The user according to the provider. */
export type Identity = {
  subject: string
  email: string | null
  isEmailVerified: boolean
  name: string | null
  picture: string | null
}

/** The secrets of a sign-in until the callback. */
export type PendingSignIn = { codeVerifier: string; nonce: string }

/** Discovery results are cached for this long. */
const discoveryTtlMs = 10 * 60_000
/** Public-key signatures only: no `none`, no HMAC. */
const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
]
const clockToleranceSeconds = 60
/** Far above the size of keys with their certificates, the longest responses of real providers. */
const maxResponseBytes = 256 * 1024
/** Responses contain the picture's URL, which users can choose at some providers. */
const maxPictureLength = 2_048

const discoverySchema = z.object({
  issuer: z.string(),
  authorization_endpoint: z.url(),
  token_endpoint: z.url(),
  userinfo_endpoint: z.optional(z.url()),
  jwks_uri: z.optional(z.url()),
})
type Discovery = z.infer<typeof discoverySchema>

const claimsSchema = z.object({
  sub: z.string().check(
    z.minLength(1),
    z.maxLength(255),
    z.refine((sub) => sub.isWellFormed() && !sub.includes('\0')),
  ),
  email: z.optional(z.string()),
  email_verified: z.optional(z.union([z.boolean(), z.enum(['true', 'false'])])),
  name: z.optional(z.string()),
  picture: z.optional(z.string()),
})
type Claims = z.infer<typeof claimsSchema>

/** Discovery results by issuer. No promises, since a Worker must not await those of another request. */
const discovered = new Map<string, { discovery: Discovery; until: number }>()

/**
 * An OpenID provider (OpenID Connect Core 1.0, code flow with PKCE and nonce). The deadline also covers the request's calls
 * to the database.
 */
export function openIdClient(settings: ProviderSettings, deadline: Deadline) {
  const client = new OAuth2Client(settings.clientId, settings.clientSecret, settings.redirectUri)

  return {
    /** Starts a sign-in. */
    begin(): PendingSignIn {
      return { codeVerifier: generateCodeVerifier(), nonce: generateCodeVerifier() }
    },

    /** False if the callback is from another provider (RFC 9207). */
    isFrom(issuer: string | undefined): boolean {
      return issuer === undefined || issuer === settings.issuer
    },

    /** Returns the URL to send the user to. Throws ProviderUnavailable. */
    async authorizationUrl(pending: PendingSignIn, state: string, loginHint?: string): Promise<string> {
      const { authorization_endpoint: endpoint } = await inTime(deadline(), discover(settings.issuer))
      const { S256 } = CodeChallengeMethod
      const scopes = ['openid', 'email', 'profile']
      const url = client.createAuthorizationURLWithPKCE(endpoint, state, S256, pending.codeVerifier, scopes)
      url.searchParams.set('nonce', pending.nonce)
      if (loginHint) url.searchParams.set('login_hint', loginHint)
      return url.href
    },

    /** Exchanges the code for a verified identity. Throws ProviderUnavailable. */
    identify(code: string, pending: PendingSignIn): Promise<Identity> {
      return inTime(deadline(), redeem(client, settings, code, pending))
    },
  }
}

export type OpenIdClient = ReturnType<typeof openIdClient>

async function redeem(
  client: OAuth2Client,
  { issuer, clientId }: ProviderSettings,
  code: string,
  { codeVerifier, nonce }: PendingSignIn,
): Promise<Identity> {
  const discovery = await discover(issuer)
  const { token_endpoint, userinfo_endpoint } = discovery
  // Of any size: Arctic uses the global fetch, so its response cannot be bounded without replacing that.
  const tokens = await client.validateAuthorizationCode(token_endpoint, code, codeVerifier)
  const payload = await verifyIdToken(tokens.idToken(), discovery, clientId)
  if (payload.nonce !== nonce) throw new ProviderUnavailable('The ID token is for another sign-in')
  const claims = claimsOf(payload)
  if (claims.email !== undefined || !userinfo_endpoint) return identityOf(claims)
  const headers = { Authorization: `Bearer ${tokens.accessToken()}` }
  const more = claimsOf(await getJson(userinfo_endpoint, headers))
  if (more.sub !== claims.sub) throw new ProviderUnavailable('Userinfo is about another user')
  // An address and whether it is verified must come from the same source.
  return identityOf({ ...more, ...claims, email_verified: more.email_verified })
}

/** Removes null claims, which some providers send (Core 1.0 §5.3.2 wants them omitted). */
function claimsOf(claims: unknown): Claims {
  const known = Object.entries(claims ?? {}).filter(([, value]) => value !== null)
  return claimsSchema.parse(Object.fromEntries(known))
}

/** Finds the provider's endpoints (OpenID Connect Discovery 1.0 §4). */
async function discover(issuer: string): Promise<Discovery> {
  const known = discovered.get(issuer)
  if (known && known.until > Date.now()) return known.discovery
  const discovery = discoverySchema.parse(
    await getJson(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`),
  )
  if (discovery.issuer !== issuer) throw new ProviderUnavailable('The provider names another issuer')
  const schemes = ['https:', new URL(issuer).protocol]
  if (!Object.values(discovery).every((url) => schemes.includes(new URL(url).protocol)))
    throw new ProviderUnavailable('The provider names an address of another scheme')
  discovered.set(issuer, { discovery, until: Date.now() + discoveryTtlMs })
  return discovery
}

/** Validates an ID token (OpenID Connect Core 1.0 §3.1.3.7), except its nonce: signature, iss, aud, azp, exp. */
async function verifyIdToken(token: string, discovery: Discovery, clientId: string): Promise<JWTPayload> {
  const payload = discovery.jwks_uri
    ? await verifySignedToken(token, discovery, clientId)
    : requireClaims(decodeJwt(token), discovery.issuer, clientId)
  if (payload.azp !== undefined && payload.azp !== clientId)
    throw new ProviderUnavailable('The ID token is for another client')
  return payload
}

async function verifySignedToken(token: string, { jwks_uri = '', issuer }: Discovery, audience: string) {
  const keys = createLocalJWKSet((await getJson(jwks_uri)) as Parameters<typeof createLocalJWKSet>[0])
  const requiredClaims = ['exp', 'iat', 'sub']
  const options = { issuer, audience, algorithms, requiredClaims, clockTolerance: clockToleranceSeconds }
  return (await jwtVerify(token, keys, options)).payload
}

/** Without published keys, only the claims are validated: the token came from the provider over TLS. */
function requireClaims(payload: JWTPayload, issuer: string, clientId: string): JWTPayload {
  const audiences = [payload.aud ?? []].flat()
  const isCurrent = payload.exp !== undefined && payload.exp + clockToleranceSeconds > Date.now() / 1000
  if (payload.iss === issuer && audiences.includes(clientId) && isCurrent) return payload
  throw new ProviderUnavailable('The ID token is not for us, or has expired')
}

function identityOf(claims: Claims): Identity {
  const { picture = '' } = claims
  return {
    subject: claims.sub,
    email: trimText(claims.email ?? '') || null,
    isEmailVerified: claims.email_verified === true || claims.email_verified === 'true',
    name: storable(claims.name),
    picture: /^https?:\/\//.test(picture) && picture.length <= maxPictureLength ? storable(picture) : null,
  }
}

/** Removes NUL and unpaired surrogates, which cannot be stored (domain/fields.ts). */
function storable(text: string | undefined): string | null {
  const stored = text?.replaceAll('\0', '').toWellFormed() ?? ''
  return isBlank(stored) ? null : normaliseText(trimText(stored))
}

async function getJson(url: string, headers: Record<string, string> = {}): Promise<unknown> {
  const response = await fetch(url, { headers: { Accept: 'application/json', ...headers } })
  if (!response.ok) throw new BadStatus(response.status)
  return bounded(response).json()
}

/** The response with a body that fails beyond `maxResponseBytes`. */
function bounded(response: Response): Response {
  let bytes = 0
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength
      if (bytes > maxResponseBytes) throw new ProviderUnavailable('The response exceeds 256 KiB')
      controller.enqueue(chunk)
    },
  })
  return new Response(response.body?.pipeThrough(limit), response)
}

/** A status other than 2xx, for the log. */
class BadStatus extends Error {
  override readonly name = 'BadStatus'
  readonly status: number
  constructor(status: number) {
    super(`The provider responded with status ${status}`)
    this.status = status
  }
}

/** Awaits calls to the provider until the deadline, since Arctic has no time-out. All errors become ProviderUnavailable. */
async function inTime<T>(deadline: AbortSignal, work: Promise<T>): Promise<T> {
  try {
    return await abortable(deadline, work)
  } catch (error) {
    if (error instanceof ProviderUnavailable) throw error
    throw new ProviderUnavailable('The provider could not be used', { cause: error })
  }
}
