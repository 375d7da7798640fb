import { type SQL, sql } from 'drizzle-orm'
import { ConstraintViolated } from './errors.ts'

/*
 * SQL has no conditional ROLLBACK, but a statement that violates a CHECK rolls back the transaction of its batch. Nothing
 * else violates this one, since the types of accounts are validated.
 */
const violatedCheck = 'account_type'

/** The statement that rolls its transaction back if the condition holds, by inserting an account of no valid type. */
export const rollBackIf = (condition: SQL) => sql`
  insert into accounts (name, type, starting_balance, created_at, updated_at)
  select '', 'none', 0, 0, 0 where ${condition}`

/** True if `rollBackIf` has rolled the transaction back. */
export const isRolledBack = (error: unknown): boolean =>
  error instanceof ConstraintViolated && error.subjects.includes(violatedCheck)
