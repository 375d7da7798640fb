import { and, type SQL, sql } from 'drizzle-orm'
import type { FieldErrors } from '../domain/field-errors.ts'
import { addError, messageFor } from '../domain/field-errors.ts'
import { Invalid } from '../failures/failures.ts'
import type { Database } from './run.ts'

/**
 * A rule that the database checks: in the guard of the write (`allHold`) and, in the same transaction, for the errors. No
 * error is added for `field` if one of `inputs`, the fields that the rule depends on, already has an error.
 */
export type Rule = { field: string; text: string; holds: SQL; inputs: string[] }

export function rule(field: string, text: string, holds: SQL, ...otherInputs: string[]): Rule {
  return { field, text, holds, inputs: [field, ...otherInputs] }
}

/** True if all rules hold. */
export function allHold(rules: Rule[]): SQL {
  return and(...rules.map((rule) => rule.holds)) as SQL
}

/** A text with 1 for each rule that holds and 0 for each broken one. */
export function ruleFlags(rules: Rule[]): SQL<string> {
  const flags = rules.map(({ holds }) => sql` || ((${holds}) is true)`)
  return sql<string>`('' ${sql.join(flags)})`
}

/** Selects the flags of rules that do not depend on a row. */
export function selectRuleFlags(db: Database, rules: Rule[]) {
  return db.all<{ ruleFlags: string }>(sql`select ${ruleFlags(rules)} as ruleFlags`)
}

/** The errors of all broken rules, in SQL: a JSON array of pairs `[field, message]`. */
export function brokenRules(rules: Rule[]): SQL<string> {
  const broken = rules.map(({ field, text, holds }) => {
    const error = `,${JSON.stringify([field, messageFor(field, text)])}`
    return sql`iif(${holds}, '', ${error})`
  })
  return sql<string>`('[' || substr(${sql.join(broken, sql` || `)}, 2) || ']')`
}

/** The failure with the errors of the input and of the broken rules. The row has the flags of the same rules. */
export function violationOf(rules: Rule[], [row]: { ruleFlags: string }[], inputErrors: FieldErrors = {}) {
  const errors = { ...inputErrors }
  for (const [index, rule] of rules.entries())
    if (row?.ruleFlags[index] !== '1' && !rule.inputs.some((input) => input in inputErrors))
      addError(errors, rule.field, rule.text)
  return new Invalid(errors)
}
