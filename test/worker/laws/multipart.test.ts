import { expect, test } from 'vitest'
import { createWorld } from '../fixtures/world.ts'
import { createHousehold } from './every-route.ts'

const csv = 'date,amount,description\r\n2026-11-20,-5.00,Tea; "green"\r\n'

/** A part: its headers and its content. */
type Part = [headers: string[], content: string]
/** The file and a field as a client sends them. */
type Form = { parts: Part[]; before?: string; newline?: string; padding?: string }

const quoted = (name: string) => `Content-Disposition: form-data; name="${name}"`
const unquoted = (name: string) => `Content-Disposition: form-data; name=${name}`

/** The forms of clients that differ in what RFC 2046, 2183 and 7578 leave open. */
const forms: [client: string, form: (accountId: string) => Form][] = [
  [
    'a browser',
    (id) => ({
      parts: [
        [[`${quoted('file')}; filename="a.csv"`, 'Content-Type: text/csv'], csv],
        [[quoted('account_id')], id],
      ],
    }),
  ],
  [
    '.NET',
    (id) => ({
      parts: [
        [['Content-Type: text/plain; charset=utf-8', unquoted('account_id')], id],
        [[`${unquoted('file')}; filename=a.csv; filename*=utf-8''a.csv`], csv],
      ],
    }),
  ],
  [
    '.NET, with the file first and a type',
    (id) => ({
      parts: [
        [['Content-Type: text/csv', `${unquoted('file')}; filename="my file.csv"`], csv],
        [[unquoted('account_id')], id],
      ],
    }),
  ],
  [
    'an HTTP library of Java or Kotlin, with lengths and encodings',
    (id) => ({
      parts: [
        [[quoted('account_id'), 'Content-Transfer-Encoding: 8bit', `Content-Length: ${id.length}`], id],
        [
          [
            `${quoted('file')}; filename="a.csv"`,
            'Content-Type: application/octet-stream',
            'Content-Length: 60',
          ],
          csv,
        ],
      ],
    }),
  ],
  [
    'a client with lower-case headers and no blanks',
    (id) => ({
      parts: [
        [['content-disposition:form-data;name="account_id"'], id],
        [['content-disposition:form-data;filename=a.csv;name=file'], csv],
      ],
    }),
  ],
  [
    'a client whose file has a name beyond ASCII',
    (id) => ({
      parts: [
        [[quoted('account_id')], id],
        [[`${quoted('file')}; filename="Umsätze.csv"; filename*=UTF-8''Ums%C3%A4tze.csv`], csv],
      ],
    }),
  ],
  [
    'a client that sends the file as a field',
    (id) => ({
      parts: [
        [[unquoted('account_id')], id],
        [[unquoted('file')], csv],
      ],
    }),
  ],
  [
    'a client with a preamble',
    (id) => ({
      before: 'This is a multi-part message.\r\n',
      parts: [
        [[unquoted('account_id')], id],
        [[`${unquoted('file')}; filename=a.csv`], csv],
      ],
    }),
  ],
  [
    'a client that begins with an empty line and pads boundaries',
    (id) => ({
      before: '\r\n',
      padding: ' ',
      parts: [
        [[quoted('account_id')], id],
        [[`${quoted('file')}; filename="a.csv"`], csv],
      ],
    }),
  ],
  [
    'a script whose lines end in LF',
    (id) => ({
      newline: '\n',
      parts: [
        [[quoted('account_id')], id],
        [[`${quoted('file')}; filename="a.csv"`], csv],
      ],
    }),
  ],
]

function written({ parts, before = '', newline = '\r\n', padding = '' }: Form): string {
  const lines = parts.flatMap(([headers, content]) => [`--b-1${padding}`, ...headers, '', content])
  return `${before}${lines.join(newline)}${newline}--b-1--${newline}`
}

test.each(forms)('the form of %s is read, on both routes', async (_, form) => {
  const { world, person, checking } = await createHousehold(createWorld())
  for (const path of ['/api/import/store', '/api/import/bank/store']) {
    const { status, body } = await world.call('POST', `${path}?dry_run=true&signs=as_written`, {
      token: person.token,
      rawBody: written(form(String(checking.id))),
      headers: { 'Content-Type': 'multipart/form-data; boundary="b-1"' },
    })
    expect([path, status, body.errors]).toEqual([path, 200, undefined])
    expect(body.import.counts).toMatchObject({ rows: 1, created: 1 })
  }
})

test.each([
  ['a part without a name', [['Content-Disposition: form-data'], csv]],
  ['a part without headers', [[], csv]],
])('a form with %s is a 400', async (_, part) => {
  const { world, person } = await createHousehold(createWorld())
  const { status, body } = await world.call('POST', '/api/import/store', {
    token: person.token,
    rawBody: written({ parts: [part as Part] }),
    headers: { 'Content-Type': 'multipart/form-data; boundary=b-1' },
  })
  expect([status, body.message]).toEqual([400, 'Malformed form in request body'])
})
