import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { costKinds } from '../../bench/cost.ts'
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

test('the benchmark of recurring transactions records each that is due, once', async () => {
  const args = ['bench/recurring.ts', '--users=10']
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: projectDirectory })
  expect(stdout).toMatch(/^\| a thirtieth of the rules \| 6 \|/m)
  expect(stdout).toMatch(/^\| all rules \| 200 \|/m)
})
