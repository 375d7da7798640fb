import { and, type SQL, sql } from 'drizzle-orm'
import { addError, messageFor } from '../domain/draft.ts'
import { type FieldErrors, Invalid } from '../domain/failures.ts'

/**
 * One rule that the database judges. It stands in the guard of the write and, in the same batch, in the verdict
 * from which the error is made; so nothing can come between the check and the write.
 */
export type Rule = { field: string; text: string; holds: SQL; inputs: string[] }

/** The condition under which all rules hold. */
export function allHold(rules: Rule[]): SQL {
  return and(...rules.map((rule) => rule.holds)) as SQL
}

/** Selects 1 or 0 for each rule, in their order, as a JSON array. Read the answer with `addBroken`. */
export function verdict(rules: Rule[]): SQL<string> {
  const flags = sql.join(
    rules.map((rule) => rule.holds),
    sql`, `,
  )
  return sql<string>`(json_array(${flags}))`
}

/** The errors of all broken rules as an expression: a JSON array of `[field, message]`. */
export function brokenRules(rules: Rule[]): SQL<string> {
  const broken = rules.map(({ field, text, holds }) => {
    const error = `,${JSON.stringify([field, messageFor(field, text)])}`
    return sql`iif(${holds}, '', ${error})`
  })
  return sql<string>`('[' || substr(${sql.join(broken, sql` || `)}, 2) || ']')`
}

/** Adds the error of each rule that is broken, but for those whose inputs are wrong already. */
export function addBroken(errors: FieldErrors, rules: Rule[], verdict: string): void {
  const wrong = new Set(Object.keys(errors))
  const flags = JSON.parse(verdict) as (0 | 1)[]
  for (const [index, rule] of rules.entries()) {
    if (!flags[index] && !rule.inputs.some((input) => wrong.has(input)))
      addError(errors, rule.field, rule.text)
  }
}

/** The refusal of a write of which nothing else is wrong. */
export function brokenBy(rules: Rule[], verdict = '[]'): Invalid {
  const errors: FieldErrors = {}
  addBroken(errors, rules, verdict)
  return new Invalid(errors)
}
