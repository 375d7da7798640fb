import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { projectDirectory } from './fixtures/stack.ts'

const checkout = mkdtempSync(path.join(tmpdir(), 'purse-installed-'))
afterAll(() => rmSync(checkout, { recursive: true }))
for (const file of ['package.json', 'dev/installed.mjs'])
  cpSync(path.join(projectDirectory, file), path.join(checkout, file))

const check = (node = process.execPath) => {
  const { status, stderr } = spawnSync(node, ['dev/installed.mjs'], { cwd: checkout, encoding: 'utf8' })
  return { status, stderr }
}

test('what npm has left out is said in one line, with what to do', () => {
  expect(check()).toEqual({ status: 1, stderr: 'error: nothing is installed: run `npm ci`.\n' })
  mkdirSync(path.join(checkout, 'node_modules/node'), { recursive: true })
  expect(check()).toEqual({
    status: 1,
    stderr: expect.stringMatching(
      /^error: npm left out native packages, .*\^20\.19\.0 \|\| >=22\.12\.0.*\n$/,
    ),
  })
  mkdirSync(path.join(checkout, 'node_modules/@rolldown/binding-of-this-platform'), { recursive: true })
  expect(check()).toEqual({ status: 0, stderr: '' })
})
