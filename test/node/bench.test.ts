import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { comparison } from '../../bench/comparison.ts'
import { costKinds } from '../../bench/cost.ts'
import { bare, type Measured } from '../../bench/measure.ts'
import { measuresProcessorTime } from '../../bench/processor-time.ts'
import { projectDirectory } from './fixtures/stack.ts'

test('the benchmark counts one round trip for each kind of request, and stores rows in every way', async () => {
  const output = mkdtempSync(path.join(tmpdir(), 'purse-bench-test-'))
  onTestFinished(() => rmSync(output, { recursive: true }))
  const args = ['bench/main.ts', '--quick', `--output=${output}`]
  await promisify(execFile)(process.execPath, args, { cwd: projectDirectory, timeout: 600_000 })
  const results = readFileSync(path.join(output, 'results.md'), 'utf8')
  const requests = [...results.matchAll(/^\| `(\w+ [^`]+)` \| (\d+) \|(?: [\d.,]+ \|){9}$/gm)]
  expect(requests.map(([, name]) => name)).toEqual(costKinds.map(({ name }) => name))
  expect(requests.filter(([, , roundTrips]) => roundTrips !== '1')).toEqual([])
  expect(results).toMatch(/^- The dashboard reads \*\*\d+\*\* rows of a user with 100 transactions/m)
  expect(results.match(/ \| 1,000 \| [\d.,]+ \| [\d.,]+ \|$/gm)).toHaveLength(4)
})

test('a comparison shows both versions and their ratio, and subtracts what a bare route takes of the Worker', () => {
  const version = (latency: number, workerMs: number): Measured => ({
    work: new Map([['GET /one', { roundTrips: 1, rowsRead: 0, rowsWritten: 0 }]]),
    times: new Map([
      [bare.name, { latencies: [1, 1], databaseMs: 0, workerMs: 2 }],
      ['GET /one', { latencies: [latency, latency], databaseMs: 4, workerMs }],
    ]),
    perSecond: new Map([['GET /one', [300, 100, 200]]]),
  })
  const text = comparison([
    { name: 'ours', measured: version(3, 5) },
    { name: 'other', measured: version(4, 8) },
  ])
  const rows = text.split('\n').filter((line) => line.includes('GET /one'))
  expect(text).toContain('| of one request |  | other | ours | ratio |')
  expect(rows).toEqual(
    expect.arrayContaining([
      '| latency, ms, one request at a time | `GET /one` | 4.00 | 3.00 | 0.75 |',
      '| requests a second, 16 clients | `GET /one` | 200 | 200 | 1.00 |',
      '| round trips to the database | `GET /one` | 1 | 1 | 1.00 |',
      '| rows read | `GET /one` | 0 | 0 | 1.00 |',
    ]),
  )
  const ofWorker = rows.find((line) => line.startsWith('| Worker'))
  if (measuresProcessorTime)
    expect(ofWorker).toBe('| Worker, ms of processor time | `GET /one` | 3.00 | 1.50 | 0.50 |')
  else expect(ofWorker).toBe(undefined)
})
