import { not, sql } from 'drizzle-orm'
import { addDefaultCategories } from '../categories/add-defaults.ts'
import { isTaken } from '../database/errors.ts'
import { insertWhere } from '../database/insert-where.ts'
import { userColumns } from '../database/owner.ts'
import { type Database, runAll, runOne } from '../database/run.ts'
import { tokens, users } from '../database/schema.ts'
import { countAttempt } from '../database/throttle.ts'
import { addError, messageFor, takenText } from '../domain/field-errors.ts'
import type { Draft } from '../failures/draft.ts'
import { Invalid } from '../failures/failures.ts'
import { hashQueued } from '../identity/hashing.ts'
import { type ClientAddress, mailLimits, newAddress } from '../mail/limits.ts'
import { isReserved, isTakenAddress } from '../users/addresses.ts'
import type { Registration } from './contract.ts'
import { newToken, type SignInContext } from './token.ts'

/**
 * Creates a user with the default categories and a first token, in one round trip. `mayBeMailed` is true if the limits allow
 * an email to the address. The limits do not apply to the registration, so that others cannot prevent it. Throws Invalid,
 * TooBusy.
 */
export async function register(context: SignInContext, draft: Draft<Registration>, client: ClientAddress) {
  const { db, now } = context
  if (!draft.complete) throw await withTakenAddress(db, draft, now)
  const { name, email, password, timezone } = draft.values
  const user = {
    name,
    email,
    passwordHash: await hashQueued(password, context.hashing),
    ...(timezone && { timezone }),
    createdAt: now,
    updatedAt: now,
  }
  // If the address is taken, its unique index makes all statements fail, so this is the new user; null if it is reserved.
  const userId = sql<number>`(select ${users.id} from ${users} where ${users.email} = ${email})`
  const { secret, row } = newToken(context)
  const isCreated = sql`${userId} is not null`
  const mail = countAttempt(db, mailLimits(newAddress(email), client), now, isCreated)
  try {
    const results = await runAll(db, {
      user: insertWhere(db, users, user, not(isReserved(email, now))).returning(userColumns),
      categories: addDefaultCategories(db, userId, now),
      token: insertWhere(db, tokens, { ...row, userId }, isCreated).returning({ id: tokens.id }),
      ...mail.statements,
    })
    const [created] = results.user
    const [token] = results.token
    if (!created || !token) throw takenAddress()
    return { token: `${token.id}|${secret}`, user: created, mayBeMailed: results.attempted.length > 0 }
  } catch (error) {
    if (!isTaken(error, 'users.email')) throw error
    throw takenAddress()
  }
}

function takenAddress(): Invalid {
  return new Invalid({ email: [messageFor('email', takenText)] })
}

/** Looks up the address even if another field is invalid, so that a form shows all errors at once. */
async function withTakenAddress(db: Database, draft: Draft<Registration>, now: Date): Promise<Invalid> {
  const errors = { ...draft.errors }
  const { email } = draft.values
  if (email !== undefined) {
    const taken = await runOne(db, db.all(sql`select 1 where ${isTakenAddress(email, now)}`))
    if (taken.length > 0) addError(errors, 'email', takenText)
  }
  return new Invalid(errors)
}
