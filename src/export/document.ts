import { csvHeaders, exportedTexts } from '../domain/transaction-fields.ts'
import type { EndpointGroup } from '../openapi/endpoint.ts'
import { json } from '../openapi/response-descriptions.ts'
import { coffee } from '../transactions/response-contract.ts'
import { fullExport } from './contract.ts'

const texts = exportedTexts.map((name) => (coffee()[name] === null ? '' : `"${coffee()[name]}"`))
const csvExample = `${csvHeaders.join()}\r
2026-11-20,12.50,expense,"Checking",,"Groceries",${texts.join()}\r
`

const journalExample = `decimal-mark .
commodity 1000.00
account assets:Checking  ; id:1
account equity:opening balances
account revenues:Uncategorized
account expenses:Uncategorized
account expenses:Groceries

2026-11-20 * opening balances
    assets:Checking  1250.00
    equity:opening balances  

2026-11-20 * () Coffee beans
    expenses:Groceries  12.50
    assets:Checking  -12.50

2026-11-20 * closing balances
    assets:Checking  0.00 = 1237.50

; complete: 1 transactions
`

export const exportEndpoints: EndpointGroup = {
  tag: 'Export',
  description: 'Everything of a user, to take along: docs/export.md.',
  endpoints: {
    'GET /api/export': {
      id: 'exportEverything',
      summary: 'Export everything',
      description:
        'A file of one moment, however large. If data changes while it is sent, or a part cannot be read, the connection breaks before the last line, and the export has to begin again. What is complete ends with `"complete":true}`, a CSV with a line end, and a journal with a comment.',
      responses: {
        200: {
          ...json(fullExport, 'The export.', ['Content-Disposition']),
          texts: { 'text/csv': csvExample, 'text/plain': journalExample },
        },
      },
      invalid: { errors: { from: ['The from field must be empty unless format is csv.'] } },
    },
  },
}
