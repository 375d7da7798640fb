import * as z from 'zod/mini'
import { doc, field } from '../domain/doc.ts'
import { invalidText } from '../domain/field-errors.ts'
import { flagFromText, id, preprocessed, text } from '../domain/fields.ts'
import { idempotencyKeyHeader } from '../domain/idempotency-key-header.ts'
import {
  categoriseModes,
  checkModes,
  decimalSeparators,
  feeConventions,
  matchModes,
  reconciledModes,
  signAnswers,
} from '../domain/types.ts'
import type { newTransaction } from '../transactions/contract.ts'

// Other limits: failures/limits.ts.

/** The largest file (docs/contract.md, Imports), not counting what a form adds around it. */
export const maxFileMegabytes = 5
/** The most entries of a mapping: more than there are fields to map (statements/tables/text/header-names.ts). */
export const maxMappingEntries = 50
/** The most rows of a file that are listed because they already existed. */
export const maxListed = 100
/** The most rows of a file that a dry run shows. */
export const maxPreviewed = 200

/** Texts by name. In a form or a query it is JSON text, or a field of its own for each (`mapping.amount`). */
const texts = (name: string, description: string, example: string, read = (one: unknown) => one) => {
  const error = `The ${name} field must be a JSON object of texts.`
  const one = z
    .string({ error })
    .check(z.maxLength(255, `The ${name} field must not have texts longer than 255 characters.`))
  return field(
    z.optional(
      preprocessed(
        (input: string) => input,
        z.record(
          z.string(),
          preprocessed((input: string) => read(input) as string, one),
          { error },
        ),
      ),
    ),
    doc({
      type: 'string',
      description: `${description}, as JSON: \`${example}\`; at most ${maxMappingEntries} entries. Each may be a field of its own too, such as \`${name}.${Object.keys(JSON.parse(example))[0]}\`.`,
      examples: [example],
    }),
  )
}

/** The options of an import: parameters of its query, fields of its form, or fields beside the rows of its JSON. */
export const importOptions = z.object({
  account_id: field(z.optional(id), doc('The account of the file, or of the rows that name none.')),
  statement_account: field(
    z.optional(text()),
    doc('Which account, if the statement holds several: one of the names that the 422 lists.'),
  ),
  delimiter: field(
    z.optional(
      z
        .string({ error: 'The :field field must be a string.' })
        .check(z.maxLength(20, 'The :field field must not be greater than 20 characters.')),
    ),
    doc('What separates the columns, up to three characters, if that cannot be detected.'),
  ),
  encoding: field(
    z.optional(text(40)),
    doc('The encoding of the text, such as `windows-1253`, if it cannot be detected.'),
  ),
  date_format: field(
    z.optional(text(50)),
    doc(
      'How dates are written, such as `DD/MM/YYYY`, if that cannot be detected; with ` BE` behind it, years of two digits are those of the Buddhist era. `as_written` confirms dates far ahead.',
    ),
  ),
  decimal_separator: field(
    z.optional(z.enum(decimalSeparators, { error: invalidText })),
    doc('The decimal separator, if it cannot be detected.'),
  ),
  signs: field(
    z.optional(z.enum(signAnswers, { error: invalidText })),
    doc(
      'Which way amounts without marks go: `as_written` if negative amounts were spent, `inverted` if positive ones were, as many cards write charges. Where no amount has a sign, it says whether those that raise the balance came in; `_but_oldest` behind it, that the oldest, which no balance shows, went the other way.',
    ),
  ),
  mapping: texts(
    'mapping',
    'Which column holds which field, by its header or its number; for the amount, `3,4` means debits in column 3 and credits in column 4',
    '{"amount":"Betrag"}',
    (column) => (typeof column === 'number' ? String(column) : column),
  ),
  states: texts(
    'states',
    'Whether rows moved money (`booked` or `skipped`), for words in the column of states that are unknown',
    '{"Pending":"skipped"}',
  ),
  marks: texts(
    'marks',
    'Whether amounts came `in` or went `out`, for words in the column of types that are unknown',
    '{"Corr":"in"}',
  ),
  fees: field(
    z.optional(z.enum(feeConventions, { error: invalidText })),
    doc('Whether the amounts contain the fees beside them, if that cannot be proved.'),
  ),
  remember: field(
    z.optional(flagFromText),
    doc({ default: true, description: 'Whether the next file of the same layout is read like this one.' }),
  ),
  categorise: field(
    z.optional(z.enum(categoriseModes, { error: invalidText })),
    doc({
      default: 'off',
      description:
        '`learned` gives rows without a category the one under which the user filed the same payee before.',
    }),
  ),
  balance_checks: field(
    z.optional(z.enum(checkModes, { error: invalidText })),
    doc({
      default: 'on',
      description: "Whether a statement's balances at the ends of days become balance checks.",
    }),
  ),
  create_accounts: field(
    z.optional(flagFromText),
    doc(
      'Creates the accounts that a file of `import/store` names and the user lacks: of type `bank`, with the starting balance that the file gives, or 0.',
    ),
  ),
  reconciled: field(
    z.optional(z.enum(reconciledModes, { error: invalidText })),
    doc(
      'What to do with rows that would change a reconciled period: `skip` leaves them out, `add` adds them. Without it, nothing is stored if there are any.',
    ),
  ),
  dry_run: field(z.optional(flagFromText), doc('Answers as the import would, and stores nothing.')),
  reimport_deleted: field(
    z.optional(flagFromText),
    doc('Also imports rows that an earlier import brought and the user deleted.'),
  ),
  match: field(
    z.optional(
      z.enum(matchModes, {
        error: ({ input }) =>
          input === 'sure'
            ? 'The :field sure no longer exists: join the sure matches of the import with POST /api/matches/join.'
            : invalidText,
      }),
    ),
    doc({
      default: 'suggest',
      description:
        'What to do about possible duplicates and transfers: `suggest` counts them (`possible`), `off` does not look for them.',
    }),
  ),
})
export type ImportOptions = z.output<typeof importOptions>

type Options = z.input<typeof importOptions>
type Row = z.input<typeof newTransaction>

/** An import as typed clients send it: a file in a form, or rows as JSON. `hc` cannot express that it is either. */
export type ImportRequest = {
  query?: Options
  form?: Options & { file: File | Blob }
  json?: Options & { transactions: (Omit<Row, 'account_id'> & Partial<Pick<Row, 'account_id'>>)[] }
}

export const newImportKey = idempotencyKeyHeader(
  doc(
    'Makes the call safe to repeat: with the same rows, a repeat answers with the import of the first call.',
  ),
)

export const undoOptions = z.object({
  force: field(
    z.optional(
      preprocessed((input: boolean | 'true' | 'false') => ['1', 'true'].includes(String(input)), z.boolean()),
    ),
    doc('Also deletes transactions that have been changed since.'),
  ),
})
