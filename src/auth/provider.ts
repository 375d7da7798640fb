import { and, eq, isNotNull, isNull, type SQL, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { addDefaultCategories } from '../categories/add-defaults.ts'
import type { Database } from '../database/client.ts'
import { isTaken } from '../database/errors.ts'
import { insertWhere } from '../database/insert-where.ts'
import { userColumns } from '../database/owner.ts'
import { runAll, runOne } from '../database/run.ts'
import { passwordResets, tokens, usedStates, users } from '../database/schema.ts'
import { normalizeAddress } from '../shared/addresses.ts'
import { ProviderUnavailable, SignInFailed } from '../shared/failures.ts'
import type { Outbox } from '../shared/queues.ts'
import { seal, unseal } from '../shared/secrets.ts'
import type { Callback, SignInHints } from './contract.ts'
import type { Identity, IdentityProvider } from './identity-provider.ts'
import { dropOldestTokens, newToken, type SignedIn, type SignInContext } from './token.ts'

/** How long somebody may take to sign in at the provider. */
const stateGoodForMs = 10 * 60_000

export type IdentityContext = Omit<SignInContext, 'hashing'> & { outbox: Outbox; frontendUrl: string }

/** Sealed into `state`, since the API sets no cookies. The nonce also identifies the state itself. */
const stateSchema = z.object({
  codeVerifier: z.string(),
  nonce: z.string(),
  expiresAt: z.number(),
  timezone: z.optional(z.string()),
})
type State = z.infer<typeof stateSchema>

/** Who has come back from the provider, and the time zone to give them if they are new. */
export type Arrival = Identity & { timezone?: string | undefined }

/** Returns the provider's URL for a new sign-in. Throws ProviderUnavailable. */
export async function beginSignIn(
  provider: IdentityProvider | undefined,
  secret: string,
  now: Date,
  { login_hint, timezone }: Partial<SignInHints>,
): Promise<string> {
  if (!provider) throw new ProviderUnavailable('No identity provider is configured')
  const pending = provider.begin()
  const state: State = { ...pending, expiresAt: now.getTime() + stateGoodForMs, timezone }
  return provider.authorizationUrl(pending, await seal(secret, state), login_hint)
}

/** Signs in the person who comes back from the provider. Throws SignInFailed. */
export async function completeSignIn(
  context: IdentityContext,
  provider: IdentityProvider | undefined,
  secret: string,
  callback: Callback,
): Promise<SignedIn> {
  return signInAs(context, await identifyCallback(context, provider, secret, callback))
}

/** Returns who the provider says has come back; a malformed address counts as none. Throws SignInFailed. */
async function identifyCallback(
  { db, now }: Pick<SignInContext, 'db' | 'now'>,
  provider: IdentityProvider | undefined,
  secret: string,
  callback: Callback,
): Promise<Arrival> {
  const state = await openState(db, secret, callback.state, now)
  if (callback.error === 'access_denied')
    throw new SignInFailed('access_denied', 'You did not allow the sign-in.')
  if (!callback.code || !provider?.isFrom(callback.iss)) throw signInAgain()
  const identity = await identify(provider, callback.code, state)
  await useUp(db, state)
  const email = identity.email === null ? null : normalizeAddress(identity.email)
  return { ...identity, email, timezone: state.timezone }
}

/** The failure for anything that is not the user's doing. */
export function signInAgain(options?: ErrorOptions): SignInFailed {
  return new SignInFailed('provider_error', 'Signing in did not work. Please try again.', options)
}

async function identify(provider: IdentityProvider, code: string, state: State): Promise<Identity> {
  try {
    return await provider.identify(code, state)
  } catch (error) {
    throw error instanceof ProviderUnavailable ? signInAgain({ cause: error }) : error
  }
}

/** Opens a state that is fresh and has not been used. Throws SignInFailed. */
async function openState(db: Database, secret: string, sealed: string | undefined, now: Date) {
  const { data: state } = stateSchema.safeParse(sealed && (await unseal(secret, sealed)))
  if (!state || state.expiresAt <= now.getTime()) throw expiredState()
  const { nonce } = usedStates
  const used = await runOne(db, db.select({ nonce }).from(usedStates).where(eq(nonce, state.nonce)))
  if (used.length > 0) throw expiredState()
  return state
}

/**
 * Marks a state as used: each works once. Anybody can ask for states and come back with made-up codes, so nothing is
 * written until the provider has accepted the code. Throws SignInFailed.
 */
async function useUp(db: Database, { nonce, expiresAt }: State): Promise<void> {
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
 * Finds, links or creates the user of an identity and makes a token, in one transaction, so that two simultaneous
 * sign-ins of somebody new create one user. An identity is linked to an existing user only by an address that the
 * provider has verified. That user may have been registered by a stranger: unless an emailed link set the password, the
 * password and all tokens are removed, and the owner is told by email. Throws SignInFailed.
 */
async function signInAs(context: IdentityContext, identity: Arrival): Promise<SignedIn> {
  const { db, outbox, frontendUrl } = context
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
    dropped: dropOldestTokens(db, userId),
  })
  const [token] = results.token
  const [user] = results.user
  if (!token || !user) throw unlinkable(identity)
  const { name, email: to } = user
  if (results.passwordRemoved.length > 0)
    await outbox.post({ kind: 'password_removed', id: crypto.randomUUID(), to, name, frontendUrl })
  return { token: `${token.id}|${secret}`, user }
}

/** An identity that has signed in before is known by its subject alone; the address only matters the first time. */
const isUnknown = ({ subject }: Identity) =>
  sql`not exists (select 1 from ${users} where ${users.idpId} = ${subject})`
const hasVerifiedEmail = ({ email, isEmailVerified }: Identity) => email !== null && isEmailVerified

/** Links the identity to the user with its address, and removes the password that a stranger may know. */
function linking({ db, now }: IdentityContext, identity: Identity) {
  const mayLink = hasVerifiedEmail(identity)
    ? and(eq(users.email, identity.email ?? ''), isNull(users.idpId), isUnknown(identity))
    : sql`false`
  const isDoubtful = eq(users.isPasswordProven, false)
  const doubtful = sql`(select ${users.id} from ${users} where ${and(mayLink, isDoubtful)})`
  return {
    passwordRemoved: db
      .select({ id: users.id })
      .from(users)
      .where(and(mayLink, isDoubtful, isNotNull(users.passwordHash))),
    tokensRevoked: db.delete(tokens).where(eq(tokens.userId, doubtful)),
    resetsVoided: db.delete(passwordResets).where(eq(passwordResets.userId, doubtful)),
    linked: db
      .update(users)
      .set({
        idpId: identity.subject,
        name: sql`iif(${users.emailVerifiedAt} is null, ${nameOf(identity)}, ${users.name})`,
        avatar: sql`coalesce(${users.avatar}, ${identity.picture})`,
        passwordHash: sql`iif(${isDoubtful}, null, ${users.passwordHash})`,
        emailVerifiedAt: sql`coalesce(${users.emailVerifiedAt}, ${now.getTime()})`,
        reminderLookAt: now,
        updatedAt: now,
      })
      .where(mayLink),
  }
}

/** Creates a user for an identity that is unknown and whose verified address nobody has. */
function creation({ db, now }: IdentityContext, identity: Arrival, userId: SQL<number>) {
  const email = identity.email ?? ''
  const isNew = sql`${isUnknown(identity)} and not exists (select 1 from ${users} where ${users.email} = ${email})`
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
