import * as z from 'zod'
import { maxRows } from '../../statements/index.ts'
import { formatNumber } from '../domain/doc.ts'
import { csvHeaders } from '../domain/transaction-fields.ts'
import { perMinute } from '../failures/limits.ts'
import type { Endpoint, EndpointGroup } from '../openapi/endpoint.ts'
import { deleted, json, list } from '../openapi/response-descriptions.ts'
import { maxFileMegabytes } from './contract.ts'
import { importsListed } from './history.ts'
import { importLayout, importRecord, importResult, undoneImport } from './response-contract.ts'

const file = z.string().meta({ format: 'binary' })
const upload = z.object({ file: file.describe('The file.') })

/**
 * The files that both imports take. JSON, which they accept as well, is described in prose alone: given both a form and
 * JSON, the generators for Java, C# and Python send the form's file as JSON.
 */
const bodies = (example: string): Endpoint['bodies'] => ({
  'multipart/form-data': { name: 'ImportUpload', schema: upload },
  'text/csv': { schema: file, example },
  'application/octet-stream': {
    schema: file,
    description: 'Any file; its format is recognised by its content.',
  },
})

/** The columns that a file need not have. */
const optional = csvHeaders
  .slice(2)
  .map((name) => `\`${name}\``)
  .join(', ')

const twoDates =
  'The date 01/02/2026 in row 2 can be read in two ways and nothing in the file settles it; choose DD/MM/YYYY (2026-02-01) or MM/DD/YYYY (2026-01-02).'

const dateOption = (value: string, date: string) => ({
  value,
  label: `${value} (${date})`,
  example: [{ row: 2, transaction_date: date, type: 'expense', amount: '3.20', description: null }],
})

export const importEndpoints: EndpointGroup = {
  tag: 'Import',
  description: `CSV files and bank statements: up to ${formatNumber(maxRows)} rows and ${maxFileMegabytes} MB, all or nothing, and ${perMinute.IMPORT_LIMIT} a minute for each user. What a file does not prove is a 422 with \`questions\`, each with the rows that its answers would change, never a guess; a minus sign alone proves nothing, since cards write it both ways. Answers are options of the same call (\`date_format\`, \`decimal_separator\`, \`delimiter\`, \`encoding\`, \`fees\`, \`mapping\`, \`marks\`, \`signs\`, \`statement_account\`, \`states\`), and are remembered for the next file of the layout. A dry run shows the rows as they would be stored. Errors name the row of a file (\`rows.7.amount\`: the line, or the entry of OFX and CAMT) or, as in sync, the item of a JSON body (\`transactions.0.amount\`).`,
  endpoints: {
    'POST /api/import/store': {
      id: 'importFile',
      summary: 'Import a CSV file',
      description: `Also an Excel workbook (.xlsx) with one table. Columns are found by their names: \`date\`, \`amount\` (or \`debit\` and \`credit\`), and optionally ${optional}. Exports of other apps, such as YNAB, Actual and Firefly III, are recognised by their headers; \`create_accounts=true\` creates their accounts. Options are query parameters; form fields are read as well, and take precedence. Rows may also come as JSON (see *Other spellings*).`,
      bodies: bodies('date,amount,account,description\n2026-11-19,-3.20,Checking,Bakery\n'),
      responses: { 200: json(importResult, 'What was imported.') },
      failures: ['NotVerified', 'InvalidImport'],
      invalid: {
        errors: {
          date_format: [twoDates],
        },
        questions: [
          {
            field: 'date_format',
            code: 'date_format',
            text: twoDates,
            depends_on: null,
            options: [dateOption('DD/MM/YYYY', '2026-02-01'), dateOption('MM/DD/YYYY', '2026-01-02')],
          },
        ],
      },
    },
    'POST /api/import/bank/store': {
      id: 'importStatement',
      summary: 'Import a bank statement',
      description:
        "OFX and QFX, QIF, CAMT.052 to .054, MT940, CSV and Excel workbooks (.xlsx), recognised by content. The bank's own id becomes `reference`; rows that already exist are counted as duplicates and not imported again.",
      bodies: bodies('Date,Debit,Credit,Description\n2026-11-19,3.20,,Bakery\n'),
      responses: { 200: json(importResult, 'What was imported.') },
      failures: ['NotVerified', 'InvalidImport'],
      invalid: { errors: { account_id: ['The account id field is required.'] } },
    },
    'GET /api/imports': {
      id: 'listImports',
      summary: 'List imports',
      description: `The newest ${importsListed}, leaving out dry runs and undone imports.`,
      responses: { 200: list(importRecord, 'What was imported, newest first.') },
    },
    'GET /api/imports/layouts': {
      id: 'listLayouts',
      summary: 'List what is remembered of files',
      description:
        'What the first import of a layout settled (proved or told), which the next file of the layout is read with. An option in a request replaces it; `remember=false` keeps nothing.',
      responses: { 200: list(importLayout, 'The layouts, the last used first.') },
    },
    'DELETE /api/imports/layouts/:id': {
      id: 'forgetLayout',
      summary: 'Forget a layout',
      description: 'The next file of the layout is read as if it were the first.',
      responses: { 204: deleted },
    },
    'GET /api/imports/:id': {
      id: 'showImport',
      summary: 'Show an import',
      description: 'The counts of one file.',
      responses: { 200: json(importRecord, 'The import.') },
    },
    'DELETE /api/imports/:id': {
      id: 'undoImport',
      summary: 'Undo an import',
      description:
        'Deletes the transactions that the import created, except those changed since; `force=true` deletes those too.',
      responses: {
        200: json(undoneImport, 'It is undone, and balance checks are broken now.'),
        204: deleted,
      },
      // Without its rows, a balance or a total may leave its bounds.
      failures: ['OutOfBounds'],
    },
  },
}
