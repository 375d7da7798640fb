import { and, desc, eq, type SQL, sql } from 'drizzle-orm'
import { deleteOwn, own } from '../db/claims.ts'
import type { Database } from '../db/client.ts'
import { isTaken } from '../db/errors.ts'
import { insertWhere } from '../db/guarded.ts'
import { isLive, type Owner, type User, userColumns } from '../db/owner.ts'
import { categories, tokens, users } from '../db/schema.ts'
import { categoryNameKey, defaultCategories } from '../domain/categories.ts'
import { addError, completed, type Draft } from '../domain/draft.ts'
import { Invalid } from '../domain/failures.ts'
import { hashPassword, isOutdated, type ScryptCost } from '../domain/passwords.ts'
import { hashSecret, newSecret, type RandomBytes } from '../domain/tokens.ts'
import { hashInTurn, verifyInTurn } from './hashing.ts'
import { type Client, mailLimits, newAddress } from './mail-limits.ts'
import { attempt } from './throttle.ts'

/** How many sessions somebody can have at once. */
const tokensPerUser = 1_000

/** What signing in needs beside the input; the user agent is kept so that people recognise their sessions. */
export type SignInContext = {
  db: Database
  now: Date
  random: RandomBytes
  scryptCost: ScryptCost
  userAgent: string | null
}

export type Registration = { name: string; email: string; password: string; timezone?: string | null }
export type Credentials = { email: string; password: string }

/** A user who has just signed in, and the token that proves it: `<id>|<secret>`, shown this once. */
export type SignedIn = { token: string; user: User }

/**
 * Creates a user with the default categories and a first token, in one round trip; answers as well whether the address
 * may get a mail. Registering itself is never refused for mails: nobody else can use up what it takes. Throws Invalid,
 * TooBusy.
 */
export async function register(
  context: SignInContext,
  draft: Draft<Registration>,
  client: Client,
): Promise<SignedIn & { mayBeMailed: boolean }> {
  const { db, now } = context
  if (!draft.complete) throw await allRegistrationErrors(db, draft)
  const { name, email, password, timezone } = draft.values
  const user = {
    name,
    email,
    passwordHash: await hashInTurn(password, context.scryptCost),
    ...(timezone && { timezone }),
    createdAt: now,
    updatedAt: now,
  }
  // The unique address makes the whole batch fail where it is taken, so what follows it is the new user's.
  const userId = sql<number>`(select ${users.id} from ${users} where ${users.email} = ${email})`
  const { secret, row } = await newToken(context)
  const mail = attempt(db, mailLimits(newAddress(email), client), now)
  try {
    const [[created], , [token], , mailed] = await db.batch([
      db.insert(users).values(user).returning(userColumns),
      db.insert(categories).values(defaultCategoryRows(now).map((category) => ({ ...category, userId }))),
      db
        .insert(tokens)
        .values({ ...row, userId })
        .returning({ id: tokens.id }),
      ...mail.statements,
    ])
    if (!created || !token) throw new Error('Registering returned no rows')
    return { token: `${token.id}|${secret}`, user: created, mayBeMailed: mailed.length > 0 }
  } catch (error) {
    if (!isTaken(error, 'users.email')) throw error
    throw new Invalid({ email: ['The email has already been taken.'] })
  }
}

/**
 * Checks the credentials and makes a token. Unknown addresses and wrong passwords fail alike, after the same work.
 * Throws Invalid, TooBusy.
 */
export async function login(context: SignInContext, draft: Draft<Credentials>): Promise<SignedIn> {
  const { email, password } = completed(draft)
  const { db, scryptCost } = context
  const [[found]] = await db.batch([
    db
      .select({ user: userColumns, passwordHash: users.passwordHash })
      .from(users)
      .where(eq(users.email, email)),
  ])
  const stored = found?.passwordHash ?? null
  const matches = await verifyInTurn(password, stored, scryptCost)
  if (!found || stored === null || !matches) throw wrongCredentials()

  const { secret, row } = await newToken(context)
  // A reset in between has revoked every token: none is made on the strength of the old password.
  const unchanged = and(eq(users.id, found.user.id), eq(users.passwordHash, stored))
  const isUnchanged = sql`exists (select 1 from ${users} where ${unchanged})`
  const [[created]] = await db.batch([
    insertWhere(db, tokens, { ...row, userId: found.user.id }, isUnchanged).returning({ id: tokens.id }),
    dropOldestTokens(db, found.user.id),
    // Out of turn: a password that was right is not refused for the sake of its renewal.
    ...(isOutdated(stored, scryptCost)
      ? [
          db
            .update(users)
            .set({ passwordHash: hashPassword(password, scryptCost) })
            .where(unchanged),
        ]
      : []),
  ])
  if (!created) throw wrongCredentials()
  return { token: `${created.id}|${secret}`, user: found.user }
}

/** Revokes the token of this request, and no other. */
export async function logout(owner: Owner): Promise<void> {
  await owner.run(owner.db.delete(tokens).where(own(owner, tokens, owner.tokenId)))
}

/** Revokes every token of the bearer, this one included. */
export async function logoutAll(owner: Owner): Promise<void> {
  await owner.run(owner.db.delete(tokens).where(eq(tokens.userId, owner.id)))
}

export type Session = Pick<typeof tokens.$inferSelect, 'id' | 'userAgent' | 'createdAt' | 'lastUsedAt'>

/** Sessions that the list shows: more would be too large an answer one day. */
const sessionsListed = 500

/** The bearer's tokens, the one used last first. */
export async function listSessions(owner: Owner): Promise<Session[]> {
  const { id, userAgent, createdAt, lastUsedAt } = tokens
  const [, rows] = await owner.run(
    owner.db
      .select({ id, userAgent, createdAt, lastUsedAt })
      .from(tokens)
      .where(and(eq(tokens.userId, owner.id), isLive(owner.now)))
      .orderBy(desc(lastUsedAt), desc(id))
      .limit(sessionsListed),
  )
  return rows
}

/** Revokes one token of the bearer. Throws NotFound, Forbidden. */
export function revokeSession(owner: Owner, id: number): Promise<void> {
  return deleteOwn(owner, tokens, id)
}

/** A fresh secret, and the row that stores it once a user id is added. */
export async function newToken({
  now,
  random,
  userAgent,
}: Pick<SignInContext, 'now' | 'random' | 'userAgent'>) {
  const secret = newSecret(random)
  return { secret, row: { secretHash: await hashSecret(secret), userAgent, createdAt: now, lastUsedAt: now } }
}

/**
 * Ends the oldest sessions of somebody who has more than anybody needs: signing in over and over would fill the table.
 * Some at a time, since one sign-in makes one token.
 */
export function dropOldestTokens(db: Database, userId: number | SQL<number>) {
  return db.run(sql`
    delete from tokens where id in (
      select id from tokens where user_id = ${userId} order by id desc limit 100 offset ${tokensPerUser})`)
}

/** The categories of a new user, but for the user's id. */
export function defaultCategoryRows(now: Date) {
  return defaultCategories.map((category) => ({
    ...category,
    nameKey: categoryNameKey(category.name),
    createdAt: now,
    updatedAt: now,
  }))
}

function wrongCredentials(): Invalid {
  const message = 'The provided credentials are incorrect.'
  return new Invalid({ email: [message] }, message)
}

/** A form shows all that is wrong at once, so a taken address is looked up even when another field is wrong. */
async function allRegistrationErrors(db: Database, draft: Draft<Registration>): Promise<Invalid> {
  const errors = { ...draft.errors }
  if (draft.values.email !== undefined) {
    const [taken] = await db.batch([
      db.select({ id: users.id }).from(users).where(eq(users.email, draft.values.email)),
    ])
    if (taken.length > 0) addError(errors, 'email', 'The :field has already been taken.')
  }
  return new Invalid(errors)
}
