import * as z from 'zod/mini'
import { addError, type FieldErrors } from '../../domain/field-errors.ts'
import { changedElsewhere, profileChanges } from '../../users/contract.ts'
import { gone } from './outcomes.ts'
import { changeRow } from './rows.ts'
import type { Decisions } from './state.ts'

const fields = Object.keys(z.omit(profileChanges, { password: true }).shape)

export const profile: Decisions = {
  update(operation, state) {
    const { user } = state.found
    const { id, set } = operation
    // A user has only one, so an operation need not name it.
    if (id !== null && id !== user.id) return gone(operation)
    const { email, ...columns } = set
    const errors: FieldErrors = {}
    // Clients may send back what they were shown, and an empty address.
    if (email && email !== user.email) addError(errors, 'email', changedElsewhere)
    const current = { noun: 'profile', id: user.id, row: user } as const
    return changeRow(operation, state, { current, fields, errors, columns })
  },
}
