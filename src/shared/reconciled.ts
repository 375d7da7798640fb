import * as z from 'zod/mini'
import type { CalendarDate } from './dates.ts'
import { doc, field } from './doc.ts'
import { flag, flagFromText, nullable } from './fields.ts'

/** The error of a change in a reconciled period; the day is in words. */
export const reconciledText = (day: string) => `The account is reconciled through ${day}.`

const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
/** 31 October 2026. */
export const dayInWords = (date: CalendarDate) => format.format(new Date(date))

const description = doc('Makes the change even if it is in a reconciled period.')

/** The field of a body that overrides reconciled periods. */
export const overrideReconciled = { override_reconciled: field(z.optional(nullable(flag)), description) }

/** The same in a query. */
export const overrideQuery = z.object({ override_reconciled: field(z.optional(flagFromText), description) })

export type OverrideReconciled = { override_reconciled?: boolean | null | undefined }
