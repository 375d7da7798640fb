import type { EndpointGroup } from '../openapi/endpoint.ts'
import { json } from '../openapi/response-descriptions.ts'
import { feed } from './contract.ts'

/** The endpoint of the feed. Its group is that of uploads (upload/document.ts), which have the same path. */
export const feedEndpoints: EndpointGroup['endpoints'] = {
  'GET /api/changes': {
    id: 'pullChanges',
    summary: 'Pull what has changed',
    description:
      'Without a cursor, everything, as a snapshot; with the `cursor` of the last page, what has changed since, each row once and as it is now. Continue until `has_more` is false. After a 410, start again without a cursor.',
    responses: { 200: json(feed, 'One page.') },
    failures: ['CursorExpired'],
    invalid: { errors: { limit: ['The limit field must be an integer from 1 to 1000.'] } },
  },
}
