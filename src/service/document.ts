import * as z from 'zod'
import type { EndpointGroup } from '../openapi/endpoint.ts'
import { json } from '../openapi/response-descriptions.ts'
import { health, links } from './contract.ts'

export const serviceEndpoints: EndpointGroup = {
  tag: 'Service',
  description: 'Whether the service is up, and this document.',
  endpoints: {
    'GET /api': {
      id: 'showLinks',
      summary: 'List where to read on',
      description: 'The addresses of the reference, of this document and of the health check.',
      responses: { 200: json(links, 'The addresses.') },
    },
    'GET /api/health': {
      id: 'checkHealth',
      summary: 'Ask whether the service is up',
      description: 'Checks the database as well; 503 while it cannot be reached.',
      responses: { 200: json(health, 'It is up, and so is its database.') },
    },
    'GET /api/openapi.json': {
      id: 'showDocument',
      summary: 'Get this document',
      description: 'OpenAPI 3.1. With its `ETag` in `If-None-Match`, an unchanged document is a 304.',
      responses: {
        200: { description: 'The document.', schema: z.record(z.string(), z.unknown()), headers: ['ETag'] },
        304: { description: 'It has not changed.', headers: ['ETag'] },
      },
    },
  },
}
