import { and, eq, ne, sql } from 'drizzle-orm'
import { insertWhere } from '../database/insert-where.ts'
import type { Owner } from '../database/owner.ts'
import { requireComplete } from '../database/ownership.ts'
import { maxNamedTokens } from '../database/quotas.ts'
import { rule, selectRuleFlags, violationOf } from '../database/rules.ts'
import { tokens, users } from '../database/schema.ts'
import { countAttempt, type Limit, requireAttempt } from '../database/throttle.ts'
import { absoluteTimeoutDays, isLive } from '../database/token-lifetime.ts'
import { dayMs } from '../domain/dates.ts'
import type { FieldErrors } from '../domain/field-errors.ts'
import { messageFor } from '../domain/field-errors.ts'
import { type Draft, withErrors } from '../failures/draft.ts'
import { exactLimits } from '../failures/limits.ts'
import { namedTokenPrefix, newSecret, type RandomBytes, sha256Hex } from '../identity/tokens.ts'
import { type ClientAddress, mailLimits } from '../mail/limits.ts'
import type { MailQueue } from '../queues/queues.ts'
import type { NewToken } from './contract.ts'
import { type Session, sessionColumns } from './sessions.ts'

type Context = { random: RandomBytes; mailQueue: MailQueue; client: ClientAddress }

/**
 * Makes a token for a script, and emails its user. Returns its row and the token itself, `<id>|<secret>`. Throws Invalid,
 * TooManyAttempts.
 */
export async function makeNamedToken(
  owner: Owner,
  draft: Draft<NewToken>,
  { random, mailQueue, client }: Context,
): Promise<{ token: string; session: Session }> {
  const { db, now } = owner
  const latest = new Date(now.getTime() + absoluteTimeoutDays * dayMs)
  const checked = withErrors(draft, expiryErrors(draft.values.expires_at, now, latest))
  const { name, abilities, expires_at } = await requireComplete(owner, checked)
  const secret = namedTokenPrefix + newSecret(random)
  const row = {
    userId: owner.id,
    secretHash: sha256Hex(secret),
    scope: abilities.includes('write') ? ('write' as const) : ('read' as const),
    name,
    expiresAt: expires_at ?? latest,
    createdAt: now,
    lastUsedAt: now,
  }
  const recipient = sql`(select * from ${users} where ${users.id} = ${owner.id})`
  const limits: Limit[] = [
    { key: `named token:${owner.tokenId}`, ...exactLimits.namedTokens },
    ...mailLimits(recipient, client),
  ]
  const mail = countAttempt(db, limits, now, owner.isValid)
  const rules = [quota(owner)]
  const results = await owner.run({
    ...mail.statements,
    ruleFlags: selectRuleFlags(db, rules),
    made: insertWhere(
      db,
      tokens,
      row,
      and(mail.isCounted, ...rules.map(({ holds }) => holds)) ?? mail.isCounted,
    ).returning(sessionColumns),
  })
  requireAttempt(limits, now, results)
  const [session] = results.made
  if (!session) throw violationOf(rules, results.ruleFlags)
  await mailQueue.send({
    kind: 'token_made',
    id: crypto.randomUUID(),
    to: results.user.email,
    name: results.user.name,
    tokenName: name,
    canWrite: row.scope === 'write',
    expiresAt: row.expiresAt.toISOString(),
  })
  return { token: `${session.id}|${secret}`, session }
}

function quota(owner: Owner) {
  const isNamed = and(eq(tokens.userId, owner.id), ne(tokens.scope, 'session'), isLive(owner.now))
  const existing = sql`(select count(*) from ${tokens} where ${isNamed})`
  return rule(
    'name',
    `You cannot have more than ${maxNamedTokens} named tokens.`,
    sql`(${existing} < ${maxNamedTokens})`,
  )
}

function expiryErrors(expiresAt: Date | null | undefined, now: Date, latest: Date): FieldErrors {
  if (!expiresAt || (expiresAt > now && expiresAt <= latest)) return {}
  const text =
    expiresAt > now
      ? `The :field field must be at most ${absoluteTimeoutDays} days from now.`
      : 'The :field field must be a time in the future.'
  return { expires_at: [messageFor('expires_at', text)] }
}
