import { type SQL, sql } from 'drizzle-orm'
import type { Owner, Scope, User } from '../db/owner.ts'
import { users } from '../db/schema.ts'
import { EmailNotVerified } from '../domain/failures.ts'

/** True if the user's address is verified. */
export function isVerified({ id }: Scope): SQL {
  return sql`exists (select 1 from ${users} where ${users.id} = ${id} and ${users.emailVerifiedAt} is not null)`
}

/** Returns the user. Throws EmailNotVerified. */
export async function requireVerified(owner: Owner): Promise<User> {
  const { user } = await owner.run()
  if (user.emailVerifiedAt === null) throw new EmailNotVerified()
  return user
}
