import * as z from 'zod/mini'
import * as shown from '../domain/shown.ts'

export const links = shown.object(
  'ServiceLinks',
  'The reference of the API, its OpenAPI document, and its health.',
  { reference: z.string(), document: z.string(), health: z.string() },
  {
    reference: 'https://api.example.com/docs',
    document: 'https://api.example.com/api/openapi.json',
    health: 'https://api.example.com/api/health',
  },
)

export const health = shown.object(
  'Health',
  'The service and its database are up.',
  { status: z.string(), database: z.string() },
  { status: 'ok', database: 'ok' },
)
