import { expect, test } from 'vitest'
import { createWorld } from '../fixtures/world.ts'
import { createHousehold } from './every-route.ts'

const csv = 'date,amount,description\r\n2026-11-20,-5.00,Tea; "green"\r\n'

/** The headers of both parts, if they are not the usual ones, and what is around them. */
type Form = {
  account?: string[]
  file?: string[]
  isFileFirst?: boolean
  before?: string
  newline?: string
  padding?: string
}

const quoted = (name: string) => `Content-Disposition: form-data; name="${name}"`
const unquoted = (name: string) => `Content-Disposition: form-data; name=${name}`

/** The forms of clients that differ in what RFC 2046, 2183 and 7578 leave open. */
const forms: Record<string, Form> = {
  'a browser': { file: [`${quoted('file')}; filename="a.csv"`, 'Content-Type: text/csv'], isFileFirst: true },
  '.NET': {
    account: ['Content-Type: text/plain; charset=utf-8', unquoted('account_id')],
    file: [`${unquoted('file')}; filename=a.csv; filename*=utf-8''a.csv`],
  },
  '.NET, with the file first and a type': {
    account: [unquoted('account_id')],
    file: ['Content-Type: text/csv', `${unquoted('file')}; filename="my file.csv"`],
    isFileFirst: true,
  },
  'an HTTP library of Java or Kotlin, with lengths and encodings': {
    account: [quoted('account_id'), 'Content-Transfer-Encoding: 8bit', 'Content-Length: 1'],
    file: [
      `${quoted('file')}; filename="a.csv"`,
      'Content-Type: application/octet-stream',
      'Content-Length: 60',
    ],
  },
  'a client with lower-case headers and no blanks': {
    account: ['content-disposition:form-data;name="account_id"'],
    file: ['content-disposition:form-data;filename=a.csv;name=file'],
  },
  'a client whose file has a name beyond ASCII': {
    file: [`${quoted('file')}; filename="Umsätze.csv"; filename*=UTF-8''Ums%C3%A4tze.csv`],
  },
  'a client that sends the file as a field': { account: [unquoted('account_id')], file: [unquoted('file')] },
  'a client with a preamble': {
    before: 'This is a multi-part message.\r\n',
    account: [unquoted('account_id')],
    file: [`${unquoted('file')}; filename=a.csv`],
  },
  'a client that begins with an empty line and pads boundaries': { before: '\r\n', padding: ' ' },
  'a script whose lines end in LF': { newline: '\n' },
}

function written(form: Form, accountId: string): string {
  const { isFileFirst, before = '', newline = '\r\n', padding = '' } = form
  const account = [...(form.account ?? [quoted('account_id')]), '', accountId]
  const file = [...(form.file ?? [`${quoted('file')}; filename="a.csv"`]), '', csv]
  const parts = isFileFirst ? [file, account] : [account, file]
  const lines = parts.flatMap((part) => [`--b-1${padding}`, ...part])
  return `${before}${lines.join(newline)}${newline}--b-1--${newline}`
}

test.each(Object.entries(forms))('the form of %s is read, on both routes', async (_, form) => {
  const { world, person, checking } = await createHousehold(createWorld())
  for (const path of ['/api/import/store', '/api/import/bank/store']) {
    const { status, body } = await world.call('POST', `${path}?dry_run=true&signs=as_written`, {
      token: person.token,
      rawBody: written(form, String(checking.id)),
      headers: { 'Content-Type': 'multipart/form-data; boundary="b-1"' },
    })
    expect([path, status, body.errors]).toEqual([path, 200, undefined])
    expect(body.import.counts).toMatchObject({ rows: 1, created: 1 })
  }
})

test.each([
  ['a part without a name', 'Content-Disposition: form-data\r\n'],
  ['a part without headers', ''],
])('a form with %s is a 400', async (_, headers) => {
  const { world, person } = await createHousehold(createWorld())
  const { status, body } = await world.call('POST', '/api/import/store', {
    token: person.token,
    rawBody: `--b-1\r\n${headers}\r\n${csv}\r\n--b-1--\r\n`,
    headers: { 'Content-Type': 'multipart/form-data; boundary=b-1' },
  })
  expect([status, body.message]).toEqual([400, 'Malformed form in request body'])
})
