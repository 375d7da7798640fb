import * as z from 'zod/mini'
import { doc, field } from './doc.ts'
import { prepared } from './fields.ts'

/** Rows on a page where a client asks for no number, and at most. */
export const defaultPageSize = 50
export const maxPageSize = 500

const pageSizeText = `The :field field must be an integer from 1 to ${maxPageSize}.`

/** How many rows of a list to answer. */
export const pageSize = field(
  prepared(
    (input: string | number) => (/^\d+$/.test(String(input).trim()) ? Number(input) : input),
    z.int({ error: pageSizeText }).check(z.gte(1, pageSizeText), z.lte(maxPageSize, pageSizeText)),
  ),
  doc({ default: defaultPageSize }),
)
