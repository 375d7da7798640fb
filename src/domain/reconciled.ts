import * as z from 'zod/mini'
import { doc, field } from './doc.ts'
import { flag, flagFromText, nullable } from './fields.ts'

const description = doc('Makes the change even if it is in a reconciled period.')

/** The field of a body that overrides reconciled periods. */
export const overrideReconciled = { override_reconciled: field(z.optional(nullable(flag)), description) }

/** The same in a query. */
export const overrideQuery = z.object({ override_reconciled: field(z.optional(flagFromText), description) })

export type OverrideReconciled = { override_reconciled?: boolean | null | undefined }
