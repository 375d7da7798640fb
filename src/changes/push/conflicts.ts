import { type SQL, sql } from 'drizzle-orm'

/** Maps fields to groups; the fields of a group conflict together. */
export type ConflictGroups = Record<string, string>

/**
 * The fields of an update that conflict, as a JSON array. A field conflicts if the update sets it, `was` has it, and the
 * row now has neither of the two values; the fields of a group are compared as one. So `was` may hold the whole row.
 */
export function updateConflicts(conflictGroups: ConflictGroups): SQL {
  return conflicts(
    conflictGroups,
    ({ bits, of }) => sql`and (set_bits & ${bits}) = ${bits} and ${of('now')} is not ${of('set')}`,
  )
}

/** The fields of a deletion that conflict, as a JSON array: those whose value in the row is not what the client saw. */
export function deletionConflicts(conflictGroups: ConflictGroups): SQL {
  return conflicts(conflictGroups, () => sql``)
}

type Group = { bits: SQL; of: (prefix: string) => SQL }

function conflicts(conflictGroups: ConflictGroups, andAlso: (group: Group) => SQL): SQL {
  const found = [...new Set(Object.values(conflictGroups))].map((name) => {
    const fields = Object.keys(conflictGroups).filter((field) => conflictGroups[field] === name)
    const bits = sql.raw(String(bitsOf(conflictGroups, (field) => fields.includes(field))))
    const group = { bits, of: (prefix: string) => columns(prefix, fields) }
    const isChanged = sql`(was_bits & ${bits}) = ${bits} and ${group.of('now')} is not ${group.of('was')}`
    // `name_key` is not a field of the contract.
    const texts = fields.filter((field) => field !== 'name_key').map((field) => `,"${field}"`)
    return sql`iif(${isChanged} ${andAlso(group)}, ${sql.raw(`'${texts.join('')}'`)}, '')`
  })
  return sql`('[' || substr(${sql.join(found, sql` || `)}, 2) || ']')`
}

/** The bits of those fields to which the condition applies. */
export function bitsOf(conflictGroups: ConflictGroups, holds: (field: string) => boolean): number {
  return Object.keys(conflictGroups).reduce((bits, field, at) => (holds(field) ? bits | (1 << at) : bits), 0)
}

/** The fields' columns with this prefix, as a row value. */
export function columns(prefix: string, fields: readonly string[]): SQL {
  return sql.raw(`(${fields.map((field) => `${prefix}_${field}`).join(', ')})`)
}
