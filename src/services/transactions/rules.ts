import { and, type SQL, sql } from 'drizzle-orm'
import { owns } from '../../db/claims.ts'
import type { Owner } from '../../db/owner.ts'
import { accounts, categories } from '../../db/schema.ts'
import { addError } from '../../domain/draft.ts'
import type { FieldErrors } from '../../domain/failures.ts'

/** A transaction as it will be once written, each field an expression: a value, or a column of the row as it is. */
export type NextRow = { type: SQL; account_id: SQL; to_account_id: SQL; category_id: SQL }

/**
 * One rule that the database judges. It stands in the guard of the write and, in the same batch, in the verdict
 * from which the error is made; so nothing can come between the check and the write.
 */
export type Rule = { field: keyof NextRow; text: string; holds: SQL; inputs: (keyof NextRow)[] }

/** The rules that every transaction keeps, however it is written. */
export function transactionRules(owner: Owner, next: NextRow): Rule[] {
  const { type, account_id, to_account_id, category_id } = next
  return [
    {
      field: 'account_id',
      text: 'The selected :field is invalid.',
      holds: owns(owner, accounts, account_id),
      inputs: ['account_id'],
    },
    {
      field: 'to_account_id',
      text: 'The :field field is required.',
      holds: sql`(${type} <> 'transfer' or ${to_account_id} is not null)`,
      inputs: ['type', 'to_account_id'],
    },
    {
      field: 'to_account_id',
      text: 'The :field field must be empty unless type is transfer.',
      holds: sql`(${type} = 'transfer' or ${to_account_id} is null)`,
      inputs: ['type', 'to_account_id'],
    },
    {
      field: 'to_account_id',
      text: 'The selected :field is invalid.',
      holds: sql`(${to_account_id} is null or ${owns(owner, accounts, to_account_id)})`,
      inputs: ['to_account_id'],
    },
    {
      field: 'to_account_id',
      text: 'The :field field and account id must be different.',
      holds: sql`(${to_account_id} is null or ${to_account_id} <> ${account_id})`,
      inputs: ['to_account_id', 'account_id'],
    },
    {
      field: 'category_id',
      text: 'The selected :field is invalid.',
      holds: sql`(${category_id} is null or ${owns(owner, categories, category_id)})`,
      inputs: ['category_id'],
    },
  ]
}

/** A rule of create alone: sync, import and update take rows without a category (decisions.md, Resources). */
export function categoryRequired({ type, category_id }: NextRow): Rule {
  return {
    field: 'category_id',
    text: 'The :field field is required.',
    holds: sql`(${type} = 'transfer' or ${category_id} is not null)`,
    inputs: ['type', 'category_id'],
  }
}

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

/** Adds the error of each rule that is broken, but for those whose inputs are wrong already. */
export function addBroken(errors: FieldErrors, rules: Rule[], verdict: string): void {
  const wrong = new Set(Object.keys(errors))
  const flags = JSON.parse(verdict) as (0 | 1)[]
  for (const [index, rule] of rules.entries()) {
    if (!flags[index] && !rule.inputs.some((input) => wrong.has(input)))
      addError(errors, rule.field, rule.text)
  }
}
