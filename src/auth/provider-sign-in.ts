import { and, eq, isNotNull, isNull, type SQL, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { addDefaultCategories } from '../categories/add-defaults.ts'
import { isTaken } from '../database/errors.ts'
import { insertWhere } from '../database/insert-where.ts'
import { userColumns } from '../database/owner.ts'
import { type Database, runAll, runOne } from '../database/run.ts'
import { tokens, usedStates, users } from '../database/schema.ts'
import { ProviderUnavailable, SignInFailed } from '../failures/failures.ts'
import { normalizeAddress } from '../identity/addresses.ts'
import type { Identity, OpenIdClient } from '../identity/openid-client.ts'
import { seal, unseal } from '../identity/secrets.ts'
import type { MailQueue } from '../queues/queues.ts'
import { isTakenAddress, revokeLinks } from '../users/addresses.ts'
import type { Callback, SignInHints } from './contract.ts'
import { deleteOldestTokens, newToken, type SignedIn, type SignInContext } from './token.ts'

/** The time to sign in at the provider. */
const stateTtlMs = 10 * 60_000

export type IdentityContext = Omit<SignInContext, 'hashing'> & { mailQueue: MailQueue; frontendUrl: string }

/** Sealed into `state`, since the API sets no cookies. The nonce also identifies the state. */
const stateSchema = z.object({
  codeVerifier: z.string(),
  nonce: z.string(),
  expiresAt: z.number(),
  timezone: z.optional(z.string()),
})
type State = z.infer<typeof stateSchema>

/** The identity of a callback, and the time zone for a new user. */
export type CallbackIdentity = Identity & { timezone?: string | undefined }

/** Returns the provider's URL for a new sign-in. Throws ProviderUnavailable. */
export async function beginSignIn(
  provider: OpenIdClient | undefined,
  secret: string,
  now: Date,
  { login_hint, timezone }: Partial<SignInHints>,
): Promise<string> {
  if (!provider) throw new ProviderUnavailable('No identity provider is configured')
  const pending = provider.begin()
  const state: State = { ...pending, expiresAt: now.getTime() + stateTtlMs, timezone }
  return provider.authorizationUrl(pending, seal(secret, state), login_hint)
}

/** Signs in the user of the provider's callback. Throws SignInFailed. */
export async function completeSignIn(
  context: IdentityContext,
  provider: OpenIdClient | undefined,
  secret: string,
  callback: Callback,
): Promise<SignedIn> {
  return signInAs(context, await identifyCallback(context, provider, secret, callback))
}

/** Returns the identity of a callback; a malformed address becomes null. Throws SignInFailed. */
async function identifyCallback(
  { db, now }: Pick<SignInContext, 'db' | 'now'>,
  provider: OpenIdClient | undefined,
  secret: string,
  callback: Callback,
): Promise<CallbackIdentity> {
  const state = await openState(db, secret, callback.state, now)
  if (callback.error === 'access_denied')
    throw new SignInFailed('access_denied', 'You did not allow the sign-in.')
  if (!callback.code || !provider?.isFrom(callback.iss)) throw signInAgain()
  const identity = await identify(provider, callback.code, state)
  await consumeState(db, state)
  const email = identity.email === null ? null : normalizeAddress(identity.email)
  return { ...identity, email, timezone: state.timezone }
}

/** The failure that the user did not cause. */
export function signInAgain(options?: ErrorOptions): SignInFailed {
  return new SignInFailed('provider_error', 'Signing in did not work. Please try again.', options)
}

async function identify(provider: OpenIdClient, code: string, state: State): Promise<Identity> {
  try {
    return await provider.identify(code, state)
  } catch (error) {
    throw error instanceof ProviderUnavailable ? signInAgain({ cause: error }) : error
  }
}

/** Opens an unused state that has not expired. Throws SignInFailed. */
async function openState(db: Database, secret: string, sealed: string | undefined, now: Date) {
  const { data: state } = stateSchema.safeParse(sealed && unseal(secret, sealed))
  if (!state || state.expiresAt <= now.getTime()) throw expiredState()
  const { nonce } = usedStates
  const used = await runOne(db, db.select({ nonce }).from(usedStates).where(eq(nonce, state.nonce)))
  if (used.length > 0) throw expiredState()
  return state
}

/**
 * Marks a state as used. Runs after the provider has accepted the code, so that requests with invalid codes write nothing.
 * Throws SignInFailed.
 */
async function consumeState(db: Database, { nonce, expiresAt }: State): Promise<void> {
  try {
    await runOne(db, db.insert(usedStates).values({ nonce, expiresAt: new Date(expiresAt) }))
  } catch (error) {
    throw isTaken(error, 'used_states.nonce') ? expiredState() : error
  }
}

function expiredState(): SignInFailed {
  return new SignInFailed('invalid_state', 'This sign-in has expired. Please start again.')
}

/**
 * Finds, links or creates the user of an identity and makes a token, in one transaction, so that two simultaneous first
 * sign-ins create one user. An identity is linked to an existing user only by an address that the provider has verified. A
 * stranger may have registered that user: unless the password was set through an emailed link, the password and all tokens
 * are removed, and the user gets an email. Throws SignInFailed.
 */
async function signInAs(context: IdentityContext, identity: CallbackIdentity): Promise<SignedIn> {
  const { db, mailQueue, frontendUrl } = context
  const { secret, row } = newToken(context)
  const byIdentity = eq(users.idpId, identity.subject)
  const userId = sql<number>`(select ${users.id} from ${users} where ${byIdentity})`
  const results = await runAll(db, {
    ...linking(context, identity),
    ...creation(context, identity, userId),
    token: insertWhere(db, tokens, { ...row, userId }, sql`${userId} is not null`).returning({
      id: tokens.id,
    }),
    user: db.select(userColumns).from(users).where(byIdentity),
    dropped: deleteOldestTokens(db, userId),
  })
  const [token] = results.token
  const [user] = results.user
  if (!token || !user) throw unlinkable(identity)
  const { name, email: to } = user
  if (results.passwordRemoved.length > 0)
    await mailQueue.send({ kind: 'password_removed', id: crypto.randomUUID(), to, name, frontendUrl })
  return { token: `${token.id}|${secret}`, user }
}

/** The subject identifies a user who has signed in before; the address is only used the first time. */
const isUnknown = ({ subject }: Identity) =>
  sql`not exists (select 1 from ${users} where ${users.idpId} = ${subject})`
const hasVerifiedEmail = ({ email, isEmailVerified }: Identity) => email !== null && isEmailVerified

/** Links the identity to the user with its address, and removes an unproven password. */
function linking({ db, now }: IdentityContext, identity: Identity) {
  const mayLink = hasVerifiedEmail(identity)
    ? and(eq(users.email, identity.email ?? ''), isNull(users.idpId), isUnknown(identity))
    : sql`false`
  const isUnproven = eq(users.isPasswordProven, false)
  const unproven = sql<number>`(select ${users.id} from ${users} where ${and(mayLink, isUnproven)})`
  return {
    passwordRemoved: db
      .select({ id: users.id })
      .from(users)
      .where(and(mayLink, isUnproven, isNotNull(users.passwordHash))),
    tokensRevoked: db.delete(tokens).where(eq(tokens.userId, unproven)),
    ...revokeLinks(db, unproven),
    linked: db
      .update(users)
      .set({
        idpId: identity.subject,
        name: sql`iif(${users.emailVerifiedAt} is null, ${nameOf(identity)}, ${users.name})`,
        avatar: sql`coalesce(${users.avatar}, ${identity.picture})`,
        passwordHash: sql`iif(${isUnproven}, null, ${users.passwordHash})`,
        emailVerifiedAt: sql`coalesce(${users.emailVerifiedAt}, ${now.getTime()})`,
        reminderLookAt: now,
        updatedAt: now,
      })
      .where(mayLink),
  }
}

/** Creates a user for an unknown identity whose verified address is neither taken nor reserved. */
function creation({ db, now }: IdentityContext, identity: CallbackIdentity, userId: SQL<number>) {
  const email = identity.email ?? ''
  const isNew = sql`${isUnknown(identity)} and not ${isTakenAddress(email, now)}`
  const user = {
    name: nameOf(identity),
    email,
    idpId: identity.subject,
    avatar: identity.picture,
    ...(identity.timezone && { timezone: identity.timezone }),
    emailVerifiedAt: now,
    reminderLookAt: now,
    createdAt: now,
    updatedAt: now,
  }
  return {
    created: insertWhere(db, users, user, hasVerifiedEmail(identity) ? isNew : sql`false`),
    categories: addDefaultCategories(db, userId, now),
  }
}

function nameOf({ name, email }: Identity): string {
  return [...(name ?? email?.split('@')[0] ?? '')].slice(0, 255).join('')
}

function unlinkable({ email, isEmailVerified }: Identity): SignInFailed {
  if (email === null)
    return new SignInFailed('email_missing', 'Your account there has no email address that works here.')
  if (!isEmailVerified)
    return new SignInFailed(
      'email_unverified',
      'Please verify your email address there first, then sign in again.',
    )
  return new SignInFailed('provider_error', 'Your email address belongs to an account with another sign-in.')
}
