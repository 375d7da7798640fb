/** What fields are for, by their name, or by the name of their schema and theirs where that differs. */
const texts: Record<string, string> = {
  'Import.account_id': 'The account that the file belongs to, or the rows that name none.',
  transactions: 'All of them, in the order in which they shall land.',
  name: 'For people.',
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
}

/** What a field of an input is for. Throws where nobody has said so. */
export function textOfField(schemaName: string, field: string): string {
  const group = schemaName.startsWith('Import') ? 'Import' : schemaName
  const text = texts[`${group}.${field}`] ?? texts[field]
  if (!text) throw new Error(`${schemaName}.${field} is not described in src/http/openapi/inputs.ts`)
  return text
}
