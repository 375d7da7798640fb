import * as z from 'zod/mini'
import * as shown from '../shared/shown.ts'

export const health = shown.object(
  'Health',
  'The service and its database are up.',
  { status: z.string(), database: z.string() },
  { status: 'ok', database: 'ok' },
)
