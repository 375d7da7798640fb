import { and, eq, or, type SQL, sql } from 'drizzle-orm'
import { nextChange } from '../database/change-numbers.ts'
import type { Owner } from '../database/owner.ts'
import { ownRow } from '../database/ownership.ts'
import { rule as ruleFor, selectRuleFlags, violationOf } from '../database/rules.ts'
import { recurringRules, transactions } from '../database/schema.ts'
import type { CalendarDate } from '../domain/dates.ts'
import { invalidText } from '../domain/field-errors.ts'
import { AlreadyRecorded } from '../failures/failures.ts'
import type { FoundRules } from './chain.ts'
import { isAsRead } from './next-rule.ts'
import { isOfNoRule, type Rule, type RuleWithNext, recordedAs, selectRules, withNext } from './read.ts'

type Link = { rule: Rule; date: CalendarDate; transactionId: number | null }

/**
 * Makes a transaction of the same account and type the occurrence, or with null none; returns the rule, or undefined if it
 * has changed since it was read. Throws Invalid, AlreadyRecorded.
 */
export async function linkTransaction(
  owner: Owner,
  { today }: FoundRules,
  { rule, date, transactionId }: Link,
): Promise<RuleWithNext | undefined> {
  const { db, now } = owner
  const isCurrent = isAsRead(owner, rule)
  const isFound = sql`exists (select 1 from ${recurringRules} where ${isCurrent})`
  const recorded = db.select({ id: transactions.id }).from(transactions).where(recordedAs(rule, date))
  const target = transactionId === null ? undefined : targetOf(owner, rule, transactionId)
  const isLink = and(eq(transactions.recurringId, rule.id), eq(transactions.occurrenceDate, date))
  const rules = target
    ? [
        ruleFor(
          'transaction_id',
          invalidText,
          sql`exists (select 1 from ${transactions} where ${or(target, isLink)})`,
        ),
      ]
    : []
  const link = target
    ? { recurringId: rule.id, occurrenceDate: date }
    : { recurringId: null, occurrenceDate: null }
  const where = target ? and(target, sql`not exists ${recorded}`) : isLink
  const results = await owner.run({
    ruleFlags: rules.length > 0 ? [selectRuleFlags(db, rules)] : [],
    recorded,
    current: db.select({ id: recurringRules.id }).from(recurringRules).where(isCurrent),
    changed: db
      .update(transactions)
      .set({ ...link, version: sql`${transactions.version} + 1`, seq: nextChange(owner.id) })
      .where(and(where, isFound)),
    rule: selectRules(owner, now, eq(recurringRules.id, rule.id)),
  })
  if (results.current.length === 0) return undefined
  const [other] = results.recorded
  if (transactionId !== null && other && other.id !== transactionId) throw new AlreadyRecorded(other.id)
  if (rules.length > 0 && results.changed.rowsAffected === 0 && !other)
    throw violationOf(rules, results.ruleFlags[0] ?? [])
  const [found] = results.rule
  return found && withNext(found, today)
}

/** Matches a transaction that may become an occurrence of the rule: of a transfer, a bank may tell only one side. */
function targetOf(owner: Owner, { accountId, toAccountId, type }: Rule, id: number): SQL {
  const { accountId: account, toAccountId: toAccount, type: kind } = transactions
  const isSameMovement = or(
    and(eq(account, accountId), eq(kind, type), sql`${toAccount} is ${toAccountId}`),
    toAccountId === null
      ? undefined
      : or(
          and(eq(account, accountId), eq(kind, 'expense')),
          and(eq(account, toAccountId), eq(kind, 'income')),
        ),
  )
  return and(ownRow(owner, transactions, id), isSameMovement, isOfNoRule(sql`transactions`)) as SQL
}
