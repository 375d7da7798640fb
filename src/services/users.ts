import { and, eq, sql } from 'drizzle-orm'
import { demandComplete } from '../db/claims.ts'
import type { Database } from '../db/client.ts'
import { isTaken } from '../db/errors.ts'
import { insertWhere } from '../db/guarded.ts'
import { type Owner, type User, userColumns } from '../db/owner.ts'
import { categories, tokens, users } from '../db/schema.ts'
import { categoryNameKey, defaultCategories } from '../domain/categories.ts'
import { addError, completed, type Draft } from '../domain/draft.ts'
import { Invalid } from '../domain/failures.ts'
import { hashPassword, isOutdated, type ScryptCost, verifyPassword } from '../domain/passwords.ts'
import { hashSecret, newSecret, type RandomBytes } from '../domain/tokens.ts'

/** What registering and logging in need beside the input. */
export type SignInContext = { db: Database; now: Date; random: RandomBytes; scryptCost: ScryptCost }

export type Registration = {
  name: string
  email: string
  password: string
  timezone?: string | null
}
export type Credentials = { email: string; password: string }
export type ProfileFields = { name: string; timezone: string; reminder_time: string | null }

/** A user who has just signed in, and the token that proves it: `<id>|<secret>`, shown this once. */
export type SignedIn = { token: string; user: Pick<User, 'id' | 'name' | 'email' | 'emailVerifiedAt'> }

const signedInUser = {
  id: users.id,
  name: users.name,
  email: users.email,
  emailVerifiedAt: users.emailVerifiedAt,
}

/** Creates a user with the default categories and a first token, in one round trip. Throws Invalid. */
export async function register(context: SignInContext, draft: Draft<Registration>): Promise<SignedIn> {
  const { db, now } = context
  if (!draft.complete) throw await allRegistrationErrors(db, draft)
  const { name, email, password, timezone } = draft.values
  const secret = newSecret(context.random)
  const user = {
    name,
    email,
    passwordHash: hashPassword(password, context.scryptCost),
    ...(timezone && { timezone }),
    createdAt: now,
    updatedAt: now,
  }
  // The unique address makes the whole batch fail where it is taken, so what follows it is the new user's.
  const userId = sql<number>`(select ${users.id} from ${users} where ${users.email} = ${email})`
  try {
    const [[created], , [token]] = await db.batch([
      db.insert(users).values(user).returning(signedInUser),
      db.insert(categories).values(
        defaultCategories.map((category) => ({
          ...category,
          userId,
          nameKey: categoryNameKey(category.name),
          createdAt: now,
          updatedAt: now,
        })),
      ),
      db
        .insert(tokens)
        .values({ userId, secretHash: await hashSecret(secret), createdAt: now, lastUsedAt: now })
        .returning({ id: tokens.id }),
    ])
    if (!created || !token) throw new Error('Registering returned no rows')
    return { token: `${token.id}|${secret}`, user: created }
  } catch (error) {
    if (!isTaken(error, 'users.email')) throw error
    throw new Invalid({ email: ['The email has already been taken.'] })
  }
}

/** Checks the credentials and makes a token. Unknown addresses and wrong passwords fail alike, after the same work. */
export async function login(context: SignInContext, draft: Draft<Credentials>): Promise<SignedIn> {
  const { email, password } = completed(draft)
  const { db, now, scryptCost } = context
  const [[found]] = await db.batch([
    db
      .select({ ...signedInUser, passwordHash: users.passwordHash })
      .from(users)
      .where(eq(users.email, email)),
  ])
  const stored = found?.passwordHash ?? null
  const matches = verifyPassword(password, stored, scryptCost)
  if (!found || stored === null || !matches) throw wrongCredentials()

  const secret = newSecret(context.random)
  const token = { userId: found.id, secretHash: await hashSecret(secret), createdAt: now, lastUsedAt: now }
  // A reset in between has revoked every token: none is made on the strength of the old password.
  const unchanged = and(eq(users.id, found.id), eq(users.passwordHash, stored))
  const [[created]] = await db.batch([
    insertWhere(db, tokens, token, sql`exists (select 1 from ${users} where ${unchanged})`).returning({
      id: tokens.id,
    }),
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
  const { passwordHash: _, ...user } = found
  return { token: `${created.id}|${secret}`, user }
}

/** Revokes the token of this request, and no other. */
export async function logout(owner: Owner): Promise<void> {
  await owner.run(
    owner.db.delete(tokens).where(and(eq(tokens.id, owner.tokenId), eq(tokens.userId, owner.id))),
  )
}

/** The bearer. */
export async function showUser(owner: Owner): Promise<User> {
  const [user] = await owner.run()
  return user
}

/** Changes the profile fields that were sent. Throws Invalid. */
export async function updateProfile(owner: Owner, draft: Draft<Partial<ProfileFields>>): Promise<User> {
  const { name, timezone, reminder_time } = await demandComplete(owner, draft)
  const changes = { name, timezone, reminderTime: reminder_time, updatedAt: owner.now }
  const update = owner.db.update(users).set(changes).where(eq(users.id, owner.id)).returning(userColumns)
  const [, [user]] = await owner.run(update)
  return user as User
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
