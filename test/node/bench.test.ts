import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { reasonOf, reasons } from '../../bench/reasons.ts'
import { disturbed, misses, type Results } from '../../bench/results.ts'
import { documentFile } from './document.ts'
import { projectDirectory } from './stack.ts'

const output = mkdtempSync(path.join(tmpdir(), 'purse-bench-test-'))
const written = (name: string) => readFileSync(path.join(output, name), 'utf8')
let results: Results

beforeAll(async () => {
  const args = ['bench/main.ts', '--quick', `--output=${output}`]
  await promisify(execFile)(process.execPath, args, { cwd: projectDirectory, timeout: 600_000 })
  results = JSON.parse(written('results.json'))
})
afterAll(() => rmSync(output, { recursive: true }))

test('the benchmark measures every route of the contract', () => {
  const cases = results.scenarios[0]?.cases ?? []
  const contract = JSON.parse(readFileSync(documentFile, 'utf8'))
  const routes = Object.entries<object>(contract.paths).flatMap(([route, operations]) =>
    Object.keys(operations)
      .filter((method) => /^(get|post|put|patch|delete)$/.test(method))
      .map((method) => `${method.toUpperCase()} ${route.replace(/\{(\w+)\}/g, ':$1')}`),
  )
  expect(routes.length).toBeGreaterThan(40)
  expect(cases.map(({ name }) => name)).toEqual(expect.arrayContaining(routes))
})

test('its counts are those of the database: one round trip with a token, and some work', () => {
  const cases = (results.scenarios[0]?.cases ?? []).filter(({ needsToken }) => needsToken)
  // The Worker needs the stored hash first, to compare it.
  expect(
    cases
      .filter(({ counts }) => counts.roundTrips !== 1)
      .map(({ name }) => name)
      .sort(),
  ).toEqual(['DELETE /api/me', 'PATCH /api/me/password', 'PUT /api/me/password'])
  expect(
    cases.filter(({ counts }) => counts.rowsRead + counts.rowsWritten === 0 || counts.responseBytes === 0),
  ).toEqual([])
})

test('rows land in every way: a batch or a file in two round trips, a little JSON in one', () => {
  const landing = results.scenarios[0]?.landing ?? []
  expect(landing).toHaveLength(8)
  expect(landing.every(({ rowsPerSecond }) => rowsPerSecond > 0)).toBe(true)
  const trips = landing.filter(({ way }) => /^(sync|import)/.test(way)).map(({ roundTrips }) => roundTrips)
  expect(trips).toEqual([2, 1, 2, 2, 2])
})

test('tables and charts name what was measured', () => {
  expect(written('results.md')).toMatch(/^- The dashboard reads \*\*\d+\*\* rows of a user with/m)
  expect(written('results.md')).toContain('| `DELETE /api/imports/:id` | 1 |')
  for (const name of ['rows.svg', 'latency.svg', 'landing.svg'])
    expect(written(name)).toMatch(/^<svg .*<\/svg>$/s)
  expect(written('rows.svg')).toContain('GET /api/summary')
})

test('too few calls for a percentile are labelled as the slowest', () => {
  expect(results.scenarios[0]?.cases.map(({ far }) => far.calls)).toEqual(
    results.scenarios[0]?.cases.map(() => 1),
  )
  expect(written('results.md')).toMatch(/\| `GET \/api\/me` \|(.*\| [\d.]+ of 1 \|){2}/)
})

test('ratios next to a disturbed bare route are flagged, and a missed goal says by how much', () => {
  const changed = structuredClone(results)
  const cases = changed.scenarios[0]?.cases ?? []
  for (const { far } of cases) Object.assign(far, { ratio: 1, bare: { median: 33, tail: 40 } })
  const [first, second] = cases
  Object.assign(first?.far ?? {}, { bare: { median: 51, tail: 60 } })
  Object.assign(second?.far ?? {}, { ratio: 1.3 })
  expect(disturbed(changed)).toEqual([expect.stringContaining(`beside ${first?.name} at 1,000 transactions`)])
  const latency = misses(changed).find(({ goal }) => goal.startsWith('latency'))
  expect(latency?.missed).toEqual([expect.stringContaining(`${second?.name}: 1.3`)])
})

test('deletions are measured with all that goes with them', () => {
  const deletions = results.scenarios[0]?.deletions ?? []
  expect(deletions.map(({ rows }) => rows)).toEqual([100, 600, 800, 1_000])
  expect(deletions.map(({ status, done }) => [status, done])).toEqual(deletions.map(() => [204, true]))
})

test('every reason for missing a goal is of a case that exists, and every way of landing has one', () => {
  const names = results.scenarios[0]?.cases.map(({ name }) => name) ?? []
  expect(Object.keys(reasons).filter((name) => !names.includes(name))).toEqual([])
  const ways = results.scenarios[0]?.landing.map(({ way }) => way).filter((way) => /^(sync|import)/.test(way))
  expect(ways?.map(reasonOf).filter((reason) => !reason.startsWith('since '))).toEqual([])
})
