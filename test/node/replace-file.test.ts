import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { replaceFile } from '../../dev/replace-file.ts'

const drafts = await mkdtemp(path.join(tmpdir(), 'purse-drafts-'))
const directory = await mkdtemp(path.join(tmpdir(), 'purse-files-'))
const file = path.join(directory, 'in/a/folder/document.json')
afterAll(() => Promise.all([drafts, directory].map((made) => rm(made, { recursive: true }))))

test('whoever reads a file while others replace it finds it whole', async () => {
  const contents = ['a', 'b', 'c'].map((letter) => Buffer.from(letter.repeat(500_000)))
  await replaceFile(file, Buffer.from('first'), drafts)
  let replacing = true
  const seen = new Set<string>()
  const reader = (async () => {
    while (replacing) seen.add(await readFile(file, 'utf8'))
  })()
  for (let round = 0; round < 20; round++) {
    await Promise.all(contents.map((content) => replaceFile(file, content, drafts)))
  }
  replacing = false
  await reader
  const whole = new Set(['first', ...contents.map(String)])
  expect([...seen].filter((text) => !whole.has(text)).length).toBe(0)
  expect(seen.size).toBeGreaterThan(1)
  expect(await readdir(drafts)).toEqual([])
})

test('the same content again leaves the file untouched', async () => {
  await replaceFile(file, Buffer.from('same'), drafts)
  const { ino, mtimeMs } = await stat(file)
  await replaceFile(file, Buffer.from('same'), drafts)
  expect(await stat(file)).toMatchObject({ ino, mtimeMs })
})
