import type * as z from 'zod/mini'
import type { FieldErrors } from '../domain/field-errors.ts'
import { addError, firstErrors, invalidText, messageFor, requiredText } from '../domain/field-errors.ts'
import { longestClientId, tooLongText } from '../domain/fields.ts'
import { addExceptionErrors, addRuleErrors } from '../domain/recurrence/field-rules.ts'
import type { Exceptions } from '../domain/recurrence/occurrences.ts'
import { isLongerThan } from '../domain/texts.ts'
import { type Draft, withErrors } from '../failures/draft.ts'
import { defaultFeedSize } from '../feed/contract.ts'
import { isObject, toDraft } from '../http/validate.ts'
import { boundErrors, listItems, notAnObject } from '../transactions/items.ts'
import { maxOperations, type Operation, operationHead, type Upload, uploadHead } from './contract.ts'
import { fieldsOfNoun, fieldsThatGoTogether } from './fields-contract.ts'

/** The error of a second operation on the same row. */
export const repeatedRowText = 'The row already appears in an earlier operation.'

/** Reads an upload: each operation on its own, so that an invalid one does not affect the others. */
export function readUpload(body: unknown): Draft<Upload> {
  const { values, errors } = toDraft(uploadHead, isObject(body) ? body : {})
  const { cursor, limit = defaultFeedSize, restore, atomic, dry_run } = values
  const isDryRun = dry_run ?? false
  const read: Upload = {
    cursor: isDryRun && !isPull(body) ? undefined : (cursor ?? undefined),
    limit,
    isRestore: restore ?? false,
    isAtomic: atomic ?? false,
    isDryRun,
    operations: [],
    refused: [],
  }
  if (isPull(body)) return withErrors({ complete: true, values: read, errors: {} }, errors)
  const list = listItems(isObject(body) ? body.ops : undefined, maxOperations, 'ops')
  if (typeof list === 'string') addError(errors, 'ops', list)
  const rows = new Set<string>()
  const bounded = boundErrors()
  for (const [index, item] of Array.isArray(list) ? list.entries() : []) {
    const head = bounded((maxInvalid) => readHead(item, maxInvalid))
    const row = rowOf(head.named)
    // The fields of a second operation on a row are not checked: that may cost more than sending them did.
    if (row !== undefined && rows.has(row)) addError(errors, `ops.${index}`, repeatedRowText)
    else if (Object.keys(head.errors).length > 0) read.refused.push({ index, errors: head.errors })
    else {
      const fields = bounded((maxInvalid) => readFields(item as Item, head.named as Named, maxInvalid))
      if (Object.keys(fields.errors).length > 0) read.refused.push({ index, errors: fields.errors })
      else read.operations.push({ index, ...fields.operation })
    }
    if (row !== undefined) rows.add(row)
  }
  if (Object.keys(errors).length === 0) return { complete: true, values: read, errors }
  return { complete: false, values: { isDryRun }, errors: firstErrors(errors, 'ops') }
}

/** True for a body with empty `ops` and a cursor, which may be null. */
function isPull(body: unknown): boolean {
  return isObject(body) && 'cursor' in body && Array.isArray(body.ops) && body.ops.length === 0
}

type Item = Record<string, unknown>
type Named = Omit<Operation, 'index' | 'set' | 'was'>

/** Reads the kind of an operation, and its row. */
function readHead(item: unknown, maxInvalid?: number): { named: Partial<Named>; errors: FieldErrors } {
  if (!isObject(item)) return { named: {}, errors: { item: [notAnObject] } }
  const { values, errors } = toDraft(operationHead, item, maxInvalid)
  const { op: kind, noun, client_id: clientId = null, override_reconciled } = values
  // A creation names its row by the client id alone.
  const id = kind === 'create' ? null : (values.id ?? null)
  const isOverride = override_reconciled === true
  const named = { ...(kind && { kind }), ...(noun && { noun }), id, clientId, isOverride }
  return { named, errors }
}

/** A text that identifies the row of an operation; undefined if the operation does not say which row. */
function rowOf({ noun, id, clientId }: Partial<Named>): string | undefined {
  if (noun === 'profile') return noun
  if (noun === undefined || (id == null && clientId == null)) return undefined
  return id == null ? `${noun} #${clientId}` : `${noun} ${id}`
}

type Fields = { values: Record<string, unknown>; errors: FieldErrors }
const noFields: Fields = { values: {}, errors: {} }

function readFields(item: Item, named: Named, maxInvalid?: number) {
  const { kind, noun } = named
  const { create, update } = fieldsOfNoun[noun]
  const schema = kind === 'create' ? create : update
  const set = kind === 'delete' || !schema ? noFields : readObject('set', item.set, schema, maxInvalid)
  const was =
    kind === 'create' || item.was == null ? noFields : readObject('was', item.was, update, maxInvalid)
  // Reading may have ended before the last field.
  const isComplete = ({ errors }: Fields) =>
    maxInvalid === undefined || Object.keys(errors).length < maxInvalid
  const isRepeated = noun === 'recurring'
  if ((noun === 'transaction' || isRepeated) && kind === 'update' && isComplete(set)) requireAll(set)
  if ((noun === 'transaction' || isRepeated) && isComplete(was)) requireAll(was)
  if (noun === 'transaction' && kind === 'create') requireBoth(set, ['recurring_id', 'occurrence_date'])
  if (isRepeated && kind === 'update') requireBoth(set, ['from', 'successor_client_id'])
  if (isRepeated && kind === 'create' && isComplete(set)) addNewRuleErrors(set)
  const errors = { ...headErrors(named), ...set.errors }
  for (const [field, texts] of Object.entries(was.errors))
    errors[field === 'was' ? field : `was.${field}`] = texts
  return { operation: { ...named, set: set.values, was: was.values }, errors }
}

/** The errors of an operation that the profile does not allow, or that does not say which row it is about. */
function headErrors({ kind, noun, id, clientId }: Named): FieldErrors {
  const errors: FieldErrors = {}
  if (noun === 'profile' && kind !== 'update') addError(errors, 'op', invalidText)
  else if (kind === 'create' && clientId === null) addError(errors, 'client_id', requiredText)
  else if (kind === 'create' && isLongerThan(clientId ?? '', longestClientId))
    addError(errors, 'client_id', tooLongText(longestClientId))
  else if (noun !== 'profile' && id === null && clientId === null) addError(errors, 'id', requiredText)
  return errors
}

function readObject(name: string, value: unknown, schema: z.ZodMiniObject, maxInvalid?: number): Fields {
  if (!isObject(value)) {
    const text = value == null ? requiredText : 'The :field field must be an object.'
    return { values: {}, errors: { [name]: [messageFor(name, text)] } }
  }
  const { values, errors } = toDraft(schema, value, maxInvalid)
  const sent = Object.entries(values).filter(([, one]) => one !== undefined)
  return { values: Object.fromEntries(sent), errors }
}

/** Either both fields must have a value, or neither. */
function requireBoth({ values, errors }: Fields, fields: [string, string]): void {
  const missing = fields.filter((field) => values[field] == null && !(field in errors))
  if (missing.length === 1) addError(errors, missing[0] as string, requiredText)
}

/** Adds the errors of the rules across the fields of a new recurring transaction. */
function addNewRuleErrors({ values, errors }: Fields): void {
  const isSent = (field: string) => field in values || field in errors
  if (values.type !== 'transfer' && !isSent('category_id') && !('type' in errors))
    addError(errors, 'category_id', requiredText)
  addRuleErrors(errors, values)
  addExceptionErrors(errors, values.exceptions as Exceptions | undefined)
}

/** Either all fields that go together must have been sent, or none. */
function requireAll({ values, errors }: Fields): void {
  const isSent = (field: string) => field in values || field in errors
  if (!fieldsThatGoTogether.some(isSent)) return
  for (const field of fieldsThatGoTogether) if (!isSent(field)) addError(errors, field, requiredText)
}
