import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { projectDirectory } from './fixtures/stack.ts'

const text = readFileSync(path.join(projectDirectory, 'docs/security.md'), 'utf8')

type Named = { file: string; title: string }

/** The tests that a piece of the page names: a file in backticks, and the titles in quotes that follow it. */
function testsNamedIn(piece: string): Named[] {
  return [...piece.matchAll(/`(test\/[\w./-]+\.test\.ts)`((?:[^“`]{0,40}“[^”]+”)+)/g)].flatMap(
    ([, file = '', titles = '']) =>
      [...titles.matchAll(/“([^”]+)”/g)].map(([, title = '']) => ({ file, title })),
  )
}

/** True if the file has a test of that title, as the source spells it. */
function exists({ file, title }: Named): boolean {
  const place = path.join(projectDirectory, file)
  if (!existsSync(place)) return false
  const source = readFileSync(place, 'utf8')
  return [`'${title}'`, `"${title}"`, `\`${title}\``].some((quoted) => source.includes(quoted))
}

test('every test that docs/security.md names exists', () => {
  const named = testsNamedIn(text)
  expect(named.filter((one) => !exists(one))).toEqual([])
  expect(exists({ file: 'test/worker/auth/auth.test.ts', title: 'is no test' })).toBe(false)
  expect(exists({ file: 'test/worker/nothing.test.ts', title: 'is no test' })).toBe(false)
})

test('each of the ten risks of OWASP has a row that names code and a test', () => {
  const rows = text.split('\n').filter((line) => line.startsWith('| **API'))
  expect(rows.map((row) => /\*\*API(\d+)\*\*/.exec(row)?.[1])).toEqual(
    Array.from({ length: 10 }, (_, i) => String(i + 1)),
  )
  for (const row of rows) {
    const [, , where = '', tests = ''] = row.split(' | ')
    expect([row.slice(0, 12), testsNamedIn(tests).length > 0]).toEqual([row.slice(0, 12), true])
    const files = [...where.matchAll(/`(src\/[^`]+)`/g)].map(([, file = '']) => file)
    expect(files.length).toBeGreaterThan(0)
    expect(files.filter((file) => !existsSync(path.join(projectDirectory, file)))).toEqual([])
  }
})

test('every test file that docs/security.md mentions is there, with a title', () => {
  const mentioned = [...text.matchAll(/`(test\/[\w./-]+\.ts)`/g)].map(([, file = '']) => file)
  expect(mentioned.filter((file) => !existsSync(path.join(projectDirectory, file)))).toEqual([])
  expect(mentioned.length).toBeGreaterThan(20)
})
