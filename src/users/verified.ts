import { type SQL, sql } from 'drizzle-orm'
import type { User, UserScope } from '../database/owner.ts'
import { users } from '../database/schema.ts'
import { EmailNotVerified } from '../failures/failures.ts'

/** True if the user's address is verified. */
export function isVerified({ id }: UserScope): SQL {
  return sql`exists (select 1 from ${users} where ${users.id} = ${id} and ${users.emailVerifiedAt} is not null)`
}

/** Throws EmailNotVerified unless the user's address is verified. */
export function requireVerified({ emailVerifiedAt }: User): void {
  if (emailVerifiedAt === null) throw new EmailNotVerified()
}
