import { and, eq, or, type SQL, sql } from 'drizzle-orm'
import { withinBounds } from '../database/bounds.ts'
import { nextChange } from '../database/change-numbers.ts'
import type { Owner } from '../database/owner.ts'
import { ownRow } from '../database/ownership.ts'
import { withinPeriods } from '../database/reconciled.ts'
import { rule as ruleFor, selectRuleFlags, violationOf } from '../database/rules.ts'
import { type Statement, toStatements } from '../database/run.ts'
import { recurringRules, transactions } from '../database/schema.ts'
import type { CalendarDate } from '../domain/dates.ts'
import { invalidText } from '../domain/field-errors.ts'
import { AlreadyRecorded } from '../failures/failures.ts'
import type { FoundRules } from './chain.ts'
import { makeLegs, makeTransfers } from './legs.ts'
import { isAsRead } from './next-rule.ts'
import { isOfNoRule, type Rule, type RuleWithNext, recordedAs, selectRules, withNext } from './read.ts'

type Link = { rule: Rule; date: CalendarDate; transactionId: number | null; isOverride: boolean }

/**
 * Makes a transaction of the same account and type the occurrence, or with null none; returns the rule, or undefined if it
 * has changed since it was read. A leg of a transfer becomes the transfer, and a leg again. Throws Invalid, AlreadyRecorded,
 * Reconciled.
 */
export async function linkTransaction(
  owner: Owner,
  { today }: FoundRules,
  { rule, date, transactionId, isOverride }: Link,
): Promise<RuleWithNext | undefined> {
  const { db, now } = owner
  const isCurrent = isAsRead(owner, rule)
  const isFound = sql`exists (select 1 from ${recurringRules} where ${isCurrent})`
  const recorded = db.select({ id: transactions.id }).from(transactions).where(recordedAs(rule, date))
  const target = transactionId === null ? undefined : targetOf(owner, rule, transactionId)
  const isLink = and(eq(transactions.recurringId, rule.id), eq(transactions.occurrenceDate, date)) as SQL
  const rules = target
    ? [
        ruleFor(
          'transaction_id',
          invalidText,
          sql`exists (select 1 from ${transactions} where ${or(target, isLink)})`,
        ),
      ]
    : []
  const where = target ? and(target, sql`not exists ${recorded}`) : isLink
  const [recurringId, occurrenceDate] = target ? [rule.id, date] : [null, null]
  const link = sql`
    update ${transactions}
       set recurring_id = ${recurringId}, occurrence_date = ${occurrenceDate}, version = version + 1, seq = ${nextChange(owner.id)}
     where ${where} and ${isFound}`
  const isTransfer = rule.type === 'transfer'
  const ids = sql`select id from ${transactions} where ${isLink} and ${isFound}`
  const legs = target ? makeTransfers(owner.id, ids) : makeLegs(owner.id, ids)
  // A transfer becomes a leg while it still is the occurrence.
  const changes = target ? [link, ...(isTransfer ? legs : [])] : [...(isTransfer ? legs : []), link]
  const write = (statements: Statement[]) =>
    owner.run({
      ruleFlags: rules.length > 0 ? [selectRuleFlags(db, rules)] : [],
      recorded,
      current: db.select({ id: recurringRules.id }).from(recurringRules).where(isCurrent),
      changed: statements,
      linked: db.select({ id: transactions.id }).from(transactions).where(isLink),
      rule: selectRules(owner, now, eq(recurringRules.id, rule.id)),
    })
  const results = await withinBounds(
    'amount',
    isTransfer && !isOverride ? withinPeriods(owner, changes, write) : write(toStatements(changes)),
  )
  if (results.current.length === 0) return undefined
  const [other] = results.recorded
  if (transactionId !== null && other && other.id !== transactionId) throw new AlreadyRecorded(other.id)
  if (rules.length > 0 && results.linked.length === 0 && !other)
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
