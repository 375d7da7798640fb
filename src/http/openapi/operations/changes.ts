import { feed } from '../../../contract/changes.ts'
import { json } from '../answers.ts'
import type { OperationGroup } from '../operation.ts'

export const changeOperations: OperationGroup = {
  tag: 'Changes',
  description: 'For clients that keep a copy of everything: docs/client.md, Keeping a copy.',
  operations: {
    'GET /api/changes': {
      id: 'pullChanges',
      summary: 'Pull what has changed',
      description:
        'Without a cursor everything, as a snapshot; with the `cursor` of the last page what has changed since, each row once and as it is now. Go on until `has_more` is false. After a 410 begin without a cursor.',
      answers: { 200: json(feed, 'One page.') },
      failures: ['CursorExpired'],
    },
  },
}
