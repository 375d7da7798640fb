import { and, eq, isNotNull, isNull, or, type SQL, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import type { Database } from '../../db/client.ts'
import { isTaken } from '../../db/errors.ts'
import { insertWhere } from '../../db/insert-where.ts'
import { userColumns } from '../../db/owner.ts'
import { passwordResets, tokens, usedStates, users } from '../../db/schema.ts'
import { normalizeAddress } from '../../domain/addresses.ts'
import { ProviderUnavailable, SignInFailed } from '../../domain/failures.ts'
import { open, seal } from '../../domain/secrets.ts'
import type { Identity, IdentityProvider } from '../../gateways/identity-provider.ts'
import type { Outbox } from '../../gateways/mail-queue.ts'
import { defaultCategoryRows } from './default-categories.ts'
import { dropOldestTokens, newToken, type SignedIn, type SignInContext } from './token.ts'

/** How long somebody may take at the provider. */
const stateGoodForMs = 10 * 60_000

/** What signing in by an identity needs beside it; the mail leads to the frontend. */
export type IdentityContext = SignInContext & { outbox: Outbox; frontendUrl: string }

/** What is sealed into `state`, since clients keep no cookies. The nonce serves as the state's own id as well. */
const stateSchema = z.object({ codeVerifier: z.string(), nonce: z.string(), expiresAt: z.number() })
type State = z.infer<typeof stateSchema>

/** What the provider sends the user back with. */
export type Callback = { state?: string; code?: string; error?: string; iss?: string }

/** The provider's address for a new sign-in. Throws ProviderUnavailable. */
export async function beginSignIn(
  provider: IdentityProvider | undefined,
  secret: string,
  now: Date,
  loginHint?: string,
): Promise<string> {
  if (!provider) throw new ProviderUnavailable('No identity provider is configured')
  const pending = provider.begin()
  const state: State = { ...pending, expiresAt: now.getTime() + stateGoodForMs }
  return provider.authorizationUrl(pending, await seal(secret, state), loginHint)
}

/** Signs in whoever comes back from the provider. Throws SignInFailed for everything that is wrong with it. */
export async function completeSignIn(
  context: IdentityContext,
  provider: IdentityProvider | undefined,
  secret: string,
  callback: Callback,
): Promise<SignedIn> {
  return signInAs(context, await identifyCallback(context, provider, secret, callback))
}

/** Who comes back from the provider, by its word; a malformed address counts as none. Throws SignInFailed. */
export async function identifyCallback(
  { db, now }: Pick<SignInContext, 'db' | 'now'>,
  provider: IdentityProvider | undefined,
  secret: string,
  callback: Callback,
): Promise<Identity> {
  const state = await openState(db, secret, callback.state, now)
  if (callback.error === 'access_denied')
    throw new SignInFailed('access_denied', 'You did not allow the sign-in.')
  if (!callback.code || !provider?.isFrom(callback.iss)) throw signInAgain()
  const identity = await identify(provider, callback.code, state)
  await useUp(db, state)
  return { ...identity, email: identity.email === null ? null : normalizeAddress(identity.email) }
}

/** The failure that is not the user's doing. */
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
async function openState(
  db: Database,
  secret: string,
  sealed: string | undefined,
  now: Date,
): Promise<State> {
  const { data: state } = stateSchema.safeParse(sealed && (await open(secret, sealed)))
  if (!state || state.expiresAt <= now.getTime()) throw expiredState()
  const [used] = await db.batch([
    db.select({ nonce: usedStates.nonce }).from(usedStates).where(eq(usedStates.nonce, state.nonce)),
  ])
  if (used.length > 0) throw expiredState()
  return state
}

/**
 * Uses a state up: each is good once. Anybody can ask for states and come back with made-up codes, so nothing is written
 * before the provider has accepted the code. Throws SignInFailed.
 */
async function useUp(db: Database, { nonce, expiresAt }: State): Promise<void> {
  try {
    await db.batch([db.insert(usedStates).values({ nonce, expiresAt: new Date(expiresAt) })])
  } catch (error) {
    throw isTaken(error, 'used_states.nonce') ? expiredState() : error
  }
}

function expiredState(): SignInFailed {
  return new SignInFailed('invalid_state', 'This sign-in has expired. Please start again.')
}

/**
 * Finds, links or creates the user of an identity and makes a token, in one transaction: two sign-ins at once of
 * somebody new make one user. Linking takes an address that the provider has verified. Its user may have been
 * registered by somebody else, who knows the password unless a mailed link has set it: it goes with all tokens, and the
 * owner is told by mail. Throws SignInFailed.
 */
export async function signInAs(context: IdentityContext, identity: Identity): Promise<SignedIn> {
  const { db, now, outbox, frontendUrl } = context
  const { subject } = identity
  // Whoever has signed in before is known by the provider's id; the address matters the first time.
  const email = identity.email ?? ''
  const hasAddress = identity.email !== null && identity.isEmailVerified
  const { secret, row } = await newToken(context)
  const byIdentity = eq(users.idpId, subject)
  const isUnknown = sql`not exists (select 1 from ${users} where ${users.idpId} = ${subject})`
  const mayLink = hasAddress ? and(eq(users.email, email), isNull(users.idpId), isUnknown) : sql`false`
  const isDoubtful = or(isNull(users.emailVerifiedAt), eq(users.isPasswordProven, false)) as SQL
  const doubtful = sql`(select ${users.id} from ${users} where ${and(mayLink, isDoubtful)})`
  const newUser = {
    name: [...(identity.name ?? email.split('@')[0] ?? email)].slice(0, 255).join(''),
    email,
    idpId: subject,
    avatar: identity.picture,
    emailVerifiedAt: now,
    reminderLookAt: now,
    createdAt: now,
    updatedAt: now,
  }
  const isNew = sql`${isUnknown} and not exists (select 1 from ${users} where ${users.email} = ${email})`
  const userId = sql<number>`(select ${users.id} from ${users} where ${byIdentity})`

  const [[withoutPassword], , , , , , [token], [user]] = await db.batch([
    db
      .select({ id: users.id })
      .from(users)
      .where(and(mayLink, isDoubtful, isNotNull(users.passwordHash))),
    db.delete(tokens).where(eq(tokens.userId, doubtful)),
    db.delete(passwordResets).where(eq(passwordResets.userId, doubtful)),
    db
      .update(users)
      .set({
        idpId: subject,
        name: sql`iif(${users.emailVerifiedAt} is null, ${newUser.name}, ${users.name})`,
        avatar: sql`coalesce(${users.avatar}, ${identity.picture})`,
        passwordHash: sql`iif(${isDoubtful}, null, ${users.passwordHash})`,
        emailVerifiedAt: sql`coalesce(${users.emailVerifiedAt}, ${now.getTime()})`,
        reminderLookAt: now,
        updatedAt: now,
      })
      .where(mayLink),
    insertWhere(db, users, newUser, hasAddress ? isNew : sql`false`).returning({
      id: users.id,
    }),
    insertDefaultCategories(db, userId, now),
    insertWhere(db, tokens, { ...row, userId }, sql`${userId} is not null`).returning({ id: tokens.id }),
    db.select(userColumns).from(users).where(byIdentity),
    dropOldestTokens(db, userId),
  ])
  if (token && user) {
    const { name, email: to } = user
    if (withoutPassword)
      await outbox.post({ kind: 'password_removed', id: crypto.randomUUID(), to, name, frontendUrl })
    return { token: `${token.id}|${secret}`, user }
  }
  if (identity.email === null) {
    throw new SignInFailed('email_missing', 'Your account there has no email address that works here.')
  }
  if (!identity.isEmailVerified) {
    throw new SignInFailed(
      'email_unverified',
      'Please verify your email address there first, then sign in again.',
    )
  }
  throw new SignInFailed('provider_error', 'Your email address belongs to an account with another sign-in.')
}

/** Gives the default categories to a user who was made in this very batch, and to nobody else. */
function insertDefaultCategories(db: Database, userId: SQL<number>, now: Date) {
  const rows = defaultCategoryRows(now).map(({ name, nameKey, type }) => [name, nameKey, type])
  return db.run(sql`
    insert into categories (user_id, name, name_key, type, created_at, updated_at)
    select users.id, value ->> 0, value ->> 1, value ->> 2, ${now.getTime()}, ${now.getTime()}
      from users, json_each(${JSON.stringify(rows)})
     where users.id = ${userId} and users.created_at = ${now.getTime()}
       and not exists (select 1 from categories where user_id = users.id)
     order by key`)
}
