import { eq, sql } from 'drizzle-orm'
import type { Database } from '../../db/client.ts'
import { isTaken } from '../../db/errors.ts'
import { userColumns } from '../../db/owner.ts'
import { categories, tokens, users } from '../../db/schema.ts'
import { addError, type Draft } from '../../domain/draft.ts'
import { Invalid } from '../../domain/failures.ts'
import { hashInTurn } from '../hashing.ts'
import { type Client, mailLimits, newAddress } from '../mail-limits.ts'
import { attempt } from '../throttle.ts'
import { defaultCategoryRows } from './default-categories.ts'
import { newToken, type SignedIn, type SignInContext } from './token.ts'

export type Registration = { name: string; email: string; password: string; timezone?: string | null }

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
