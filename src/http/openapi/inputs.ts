import { globalRegistry } from 'zod'
import { newTransaction } from '../transaction-schemas.ts'

// Alone and as an item of a batch it is one and the same.
globalRegistry.add(newTransaction, { id: 'NewTransaction' })

/** What fields are for, by their name, or by the name of their schema and theirs where that differs. */
const texts: Record<string, string> = {
  account_id: 'The account it is recorded against.',
  'query.account_id': 'Either side of a transfer counts.',
  'query.type': 'Of this type alone.',
  'Import.account_id': 'The account that the file belongs to, or the rows that name none.',
  to_account_id:
    'Where a transfer goes: required for one, another account than `account_id`, null for any other type.',
  category_id:
    'Required for income and expenses that are recorded one by one; of either type, since a refund is income in an expense category.',
  type: 'What it is.',
  amount:
    'Always positive; the type says in which direction. At most two decimals; a number is read as well.',
  description: 'In your own words.',
  reference: 'What somebody else calls it, such as the bank. Two that differ are no duplicates.',
  transaction_date: 'From 1900-01-01 to 2100-12-31; may lie in the future.',
  force: 'Records it even if it looks like a duplicate.',
  client_id: "The client's own name for it, unique for each user: sent again, it lands once.",
  transactions: 'All of them, in the order in which they shall land.',
  name: 'For people.',
  starting_balance: 'What was there before the first transaction; may be negative. A number is read as well.',
  notes: 'Anything.',
  email: 'Compared without regard to case.',
  password: 'At least 8 characters, at most 1,024; never trimmed.',
  'Credentials.password': 'The password.',
  'Farewell.password': 'The password, of a user who has one.',
  'Farewell.email': 'The address, of a user who has no password.',
  current_password: 'The password as it is.',
  'ProfileChanges.email': 'The address as it is; another one is refused.',
  password_confirmation: 'The same again.',
  token: 'Out of the reset mail.',
  timezone: 'IANA name; months and reminders follow it. UTC where none is given.',
  'ProfileChanges.timezone': 'IANA name; months and reminders follow it.',
  reminder_time: 'When to send a reminder on days without a transaction; null, or an empty text, is never.',
  file: 'The file.',
  statement_account: 'Which account of a statement that holds several.',
  delimiter: 'What stands between the columns, where that cannot be told.',
  date_format: 'How dates are written, such as `DD/MM/YYYY`, where that cannot be told.',
  decimal_separator: 'Where that cannot be told.',
  mapping: 'Which column is what, as JSON: `{"amount":"Betrag"}`; at most 50 entries.',
  dry_run: 'Goes the whole way and stores nothing.',
  month: 'Another month than the current one; not together with `from` or `to`.',
  from: 'From this day on.',
  to: 'Until this day.',
  per_page: 'Rows on a page.',
  q: 'Stands in description or reference.',
}

/** What a field of an input is for. Throws where nobody has said so. */
export function textOfField(schemaName: string, field: string): string {
  const group = schemaName.startsWith('Import') ? 'Import' : schemaName
  const text = texts[`${group}.${field}`] ?? texts[field]
  if (!text) throw new Error(`${schemaName}.${field} is not described in src/http/openapi/inputs.ts`)
  return text
}
