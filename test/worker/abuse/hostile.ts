import * as fc from 'fast-check'
import { Known, Raw } from './written.ts'

const deep = 2_000

/** Values that break careless code, wherever they are in a body. */
const values: unknown[] = [
  ...[null, true, false, [], {}, [[]], [{}], { $ne: null }, { toString: 1 }, ''],
  ...[0, -0, -1, 1.5, 1e21, -1e308, Number.MIN_VALUE, 0.1 + 0.2, 2 ** 31, 2 ** 53, 2 ** 53 + 2, 2 ** 63],
  ...['1e400', '-1e400', '1E+2', '0.10000000000000000001', '9007199254740993', '-0', '1e-400'].map(
    (text) => new Raw(text),
  ),
  ...['NaN', 'Infinity', '-Infinity', '0x10', '1e3', '1,5', '٣', '+1', ' 1 ', '01', '1.', '.5', '1_000'],
  ...['9'.repeat(400), `1.${'0'.repeat(400)}`, `-${'9'.repeat(20)}`],
  // Half surrogates, as text and as an escape; NUL, right-to-left, marks on marks, what is not a character.
  ...['\ud800', '\udfff\ud800', '\u0000', 'a\u0000b', '\u202egnp.exe', 'e\u0301\u0323'.repeat(50), '\ufffe'],
  ...['\ufeff'],
  ...['"\\ud800"', '"\\u0000"', '"\\udc00\\ud800"', '"\\/\\b\\f"'].map((text) => new Raw(text)),
  ...['👩‍👩‍👧‍👦'.repeat(60), '🏳️‍🌈', '\u2028', '\r\nX-Injected: 1', '%00', '%s%n%x', '{{7*7}}'],
  ...["'", '"', "' OR 1=1 --", "'; DROP TABLE users; --", '1) UNION SELECT 1--', '%', '_', '\\'],
  ...['x" OR "1"="1', '<script>alert(1)</script>', '../../../../etc/passwd', 'file:///etc/passwd'],
  ...['http://127.0.0.1:1/', '=1+1'],
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'null', 'undefined', 'none'],
  ...['2026-02-30', '0000-00-00', '2026-13-01', '99999-01-01', '-2026-01-01', '2026-01-01T00:00:00Z'],
  ...['24:00'],
  ...['x'.repeat(256), 'x'.repeat(70_000), ' '.repeat(5_000), '🦄'.repeat(255), '🦄'.repeat(256)],
  new Raw(`${'['.repeat(deep)}${']'.repeat(deep)}`),
  new Raw(`${'{"a":'.repeat(deep)}1${'}'.repeat(deep)}`),
]

/** One hostile value, or one of another user's ids, or any JSON at all. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...values) },
  { weight: 3, arbitrary: anyOf('foreign account', 'foreign category', 'foreign transaction') },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.double() },
)

/** Keys that mean something to a JavaScript object, or to code that accepts all that is sent. */
export const hostileKeys = [
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'length', 'then', 'toJSON', ''],
  ...['\u0000'],
  ...['id', 'user_id', 'owner', 'is_synced', 'balance', 'moved', 'email_verified_at', 'idp_id', 'created_at'],
  ...['password_hash', 'transaction_count', 'import_id', 'errors', 'values', 'body', 'a.b', '0', '$where'],
]

/** What may stand in a path where an id belongs. */
export const hostileSegments: fc.Arbitrary<unknown> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      ...['0', '-1', '1.5', '1e3', 'abc', 'null', 'none', '%20', '%00', '1%00', '%', '%zz', '%ff'],
      ...['%E0%A4%A', '%F0%9F%92%B0', '9'.repeat(16), '9'.repeat(20), '9007199254740993', '+1', '0x1', '01'],
      ...['1;2', '1,2', '1|2', '%2e%2e%2f', '%2F', "1'", '1%20OR%201=1', '__proto__', 'constructor', '{id}'],
      ...[':id', '*', '١', '%0d%0a'],
      ...['sync', 'store', 'x'.repeat(3_000), '00000000-0000-0000-0000-000000000000', '~', '%5c', '1%2500'],
    ),
  },
  { weight: 1, arbitrary: fc.nat().map(String) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }).map(encoded) },
)

/** Whole query strings that no client of ours would write. */
export const hostileQueries = fc.constantFrom(
  ...['?', '&', '=', '&&&==', '%', '%zz=1', 'page=%', 'q=%ff', 'q=%E0%A4%A', 'a[b]=c', 'a[]=1&a[]=2'],
  ...['__proto__=1', '__proto__[x]=1', 'page=1&page=2&page=', 'type=income&type=', 'page=1;page=2', 'q=%00'],
  ...[`q=${'x'.repeat(3_000)}`, 'page=1e400', 'page=-1', 'page=9007199254740993', 'month=2026-13'],
  ...['account_id=1%20or%201=1', 'from=to&to=from', 'q=%25', 'q=_', 'q=%27', 'q=%5C', 'force=true&force=1'],
  ...['dry_run=maybe', 'constructor=1&toString=2', '%00=%00'],
)

/** Bodies that are not JSON, or JSON but not an object. */
export const garbageBodies: fc.Arbitrary<Uint8Array | string> = fc.oneof(
  fc.constantFrom(
    ...['', ' ', '{', '}', '{"a":', '{"a":1,}', "{'a':1}", 'undefined', 'NaN', '[1,2', '"text', '\u0000'],
    ...['{}{}', '[]', '[{}]', 'null', 'true', '7', '1e400', '"text"', '"\\ud800"', '{"\\ud800":"\\udc00"}'],
    ...['\ufeff{}', '{"name":"a","name":"b","name":null}', '{"__proto__":{"type":"bank"}}', 'a=1&b=2'],
    ...['--x\r\n\r\n--x--', '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', 'a,b\n1,2\n'],
    ...['{"transactions":{"length":1e9}}'],
    ...['{"transactions":[]}', '{"transactions":[null,1,"x",[],{}]}', '{"transactions":[[[[[]]]]]}'],
    `${'['.repeat(50_000)}`,
    `{"notes":"${'x'.repeat(530_000)}"}`,
  ),
  fc.uint8Array({ maxLength: 200 }),
  fc.json({ maxDepth: 4 }),
  fc.string({ unit: 'binary', maxLength: 100 }),
)

/** Content types, most of which are wrong for most routes. */
export const contentTypes = fc.constantFrom(
  ...['application/json', 'application/json; charset=utf-8', 'application/json;charset=utf-7'],
  ...['APPLICATION/JSON', 'application/json; charset="', 'application/problem+json'],
  ...['application/x-www-form-urlencoded', 'text/plain'],
  ...['multipart/form-data', 'multipart/form-data; boundary=', 'multipart/form-data; boundary=x', 'text/csv'],
  ...['application/octet-stream', 'text/xml; charset=utf-16', 'application/json, text/plain', 'json', '/'],
  ...['', '*/*'],
)

/** Headers that some part of the service reads, and some that it must not trust. */
export const hostileHeaders: fc.Arbitrary<Record<string, string>> = fc.constantFrom<Record<string, string>[]>(
  { Accept: 'text/html' },
  { Accept: '*/*;q=0, application/xml' },
  { Accept: 'x'.repeat(8_000) },
  { Prefer: 'handling=lenient' },
  { Prefer: 'respond-async' },
  { Prefer: 'handling="lenient"; x, respond-async, ='.repeat(50) },
  { Prefer: 'handling=strict,handling=lenient' },
  { 'Idempotency-Key': 'the same one' },
  { 'Idempotency-Key': 'k'.repeat(255) },
  { 'Idempotency-Key': 'k'.repeat(256) },
  { 'Idempotency-Key': 'a \t b' },
  { Origin: 'null' },
  { Origin: 'https://evil.example' },
  { Origin: 'http://localhost:1', 'Access-Control-Request-Headers': 'x'.repeat(2_000) },
  { Cookie: 'token=1|abc; session=1' },
  { Host: 'evil.example' },
  { 'X-Request-Id': 'mine' },
  { 'X-Forwarded-For': '127.0.0.1', 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'file' },
  { 'X-HTTP-Method-Override': 'DELETE', 'X-Original-URL': '/api/me' },
  { 'Content-Length': '0' },
  { 'Content-Encoding': 'gzip' },
  { 'Transfer-Encoding': 'chunked' },
  { Range: 'bytes=0-1', 'If-None-Match': '*', 'If-Modified-Since': 'yesterday' },
  { 'User-Agent': 'ua '.repeat(4_000) },
  { 'CF-Connecting-IP': 'not an address' },
  { 'X-Padding': 'x'.repeat(30_000) },
)

/** What stands in for a token; none of it may open anything. */
export const badAuthorizations: fc.Arbitrary<string> = fc.constantFrom(
  ...['', 'Bearer', 'Bearer ', 'Bearer null', 'Bearer 1|', 'Bearer |', `Bearer 1|${'A'.repeat(46)}`],
  ...['Basic YTpi'],
  ...['Bearer 0|x', `Bearer ${'9'.repeat(400)}|${'a'.repeat(46)}`, 'Bearer eyJhbGciOiJub25lIn0.e30.'],
  ...["Bearer 1' OR '1'='1", 'Bearer 1|%00', `Bearer ${'x'.repeat(8_000)}`, 'bearer: 1|a', 'Token 1|a'],
  ...['Bearer 1|a, Bearer 2|b'],
)

/** One of several known things. */
export function anyOf(...whats: string[]): fc.Arbitrary<Known> {
  return fc.tuple(fc.constantFrom(...whats), fc.nat(20)).map(([what, nth]) => new Known(what, nth))
}

function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}
