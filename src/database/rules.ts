import { and, type SQL, sql } from 'drizzle-orm'
import { type FieldErrors, Invalid } from '../shared/failures.ts'
import { addError, messageFor } from '../shared/field-errors.ts'
import type { Database } from './client.ts'

/**
 * A rule that the database checks. It is part of the write's guard and, in the same round trip, of the verdict from
 * which the errors are made, so nothing can happen between the check and the write. `inputs` are the fields on which the
 * rule depends, `field` included: if one of them already has an error, `brokenBy` adds none for the rule.
 */
export type Rule = { field: string; text: string; holds: SQL; inputs: string[] }

export function rule(field: string, text: string, holds: SQL, ...otherInputs: string[]): Rule {
  return { field, text, holds, inputs: [field, ...otherInputs] }
}

/** True if all rules hold. */
export function allHold(rules: Rule[]): SQL {
  return and(...rules.map((rule) => rule.holds)) as SQL
}

/** Whether each rule holds: a text of 1s and 0s, to be read with `brokenBy`. */
export function verdict(rules: Rule[]): SQL<string> {
  const flags = rules.map(({ holds }) => sql` || ((${holds}) is true)`)
  return sql<string>`('' ${sql.join(flags)})`
}

/** Selects the verdict on rules that do not depend on a row. */
export function selectVerdict(db: Database, rules: Rule[]) {
  return db.all<{ verdict: string }>(sql`select ${verdict(rules)} as verdict`)
}

/** The errors of all broken rules, in SQL: a JSON array of pairs `[field, message]`. */
export function brokenRules(rules: Rule[]): SQL<string> {
  const broken = rules.map(({ field, text, holds }) => {
    const error = `,${JSON.stringify([field, messageFor(field, text)])}`
    return sql`iif(${holds}, '', ${error})`
  })
  return sql<string>`('[' || substr(${sql.join(broken, sql` || `)}, 2) || ']')`
}

/**
 * The failure that lists the errors of the input, followed by those of broken rules. The query for the verdict must have
 * returned a row, and must have judged the same rules in the same order. The SQL of `rules` is not used here, so it need
 * not be built from the same values as the query's.
 */
export function brokenBy(
  rules: Rule[],
  [row]: { verdict: string }[],
  inputErrors: FieldErrors = {},
): Invalid {
  const { verdict } = row as { verdict: string }
  const errors = { ...inputErrors }
  for (const [index, rule] of rules.entries()) {
    if (verdict[index] !== '1' && !rule.inputs.some((input) => input in inputErrors))
      addError(errors, rule.field, rule.text)
  }
  return new Invalid(errors)
}
