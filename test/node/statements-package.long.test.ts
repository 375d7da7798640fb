import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildStatementsPackage, statementsPackage } from '../../dev/statements-package.ts'
import type { Reading } from '../../statements/index.ts'
import { hasBrowser, servePage, useBrowser } from './fixtures/browser.ts'
import { projectDirectory } from './fixtures/stack.ts'

const corpus = path.join(projectDirectory, 'test/corpus')
const files = {
  csv: path.join(corpus, 'csv/fr-boursorama.csv'),
  ofx: path.join(corpus, 'ofx/us-checking-sgml.ofx'),
  workbook: path.join(corpus, 'xlsx/statement.xlsx'),
}
const amounts = {
  csv: ['-23.45', '1900.00', '-1100.00'],
  ofx: ['-45.54', '-1000.00', '2500.04'],
  workbook: ['1300.00', '-11.75', '-850.40', '0.85'],
}
const names = Object.keys(files) as (keyof typeof files)[]

/** An empty folder in which the package is installed, as others would. */
let folder = ''
const browser = useBrowser()

beforeAll(async () => {
  await buildStatementsPackage()
  folder = await mkdtemp(path.join(tmpdir(), 'purse-installed-'))
  const npm = (...args: string[]) => execFileSync('npm', args, { cwd: folder, encoding: 'utf8' })
  const packed = npm('pack', statementsPackage, '--silent').trim()
  // The project's own copy of what the package needs, so that no network is needed.
  const fflate = npm(
    'pack',
    path.join(projectDirectory, 'node_modules/fflate'),
    '--ignore-scripts',
    '--silent',
  ).trim()
  npm('install', '--offline', '--no-audit', '--no-fund', `./${packed}`, `./${fflate}`)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Runs the command as it was installed. */
const command = (...args: string[]) => commandOf('', ...args)

function commandOf(input: string, ...args: string[]) {
  const run = spawnSync(path.join(folder, 'node_modules/.bin/purse-statements'), args, {
    encoding: 'utf8',
    input,
  })
  return { status: run.status, out: run.stdout, err: run.stderr }
}

test.each(names)('the command writes the rows of a %s as a table, JSON and CSV', (name) => {
  const table = command(files[name])
  expect(table).toMatchObject({
    status: 0,
    err: expect.stringMatching(/^\d rows, \d left out\n(.*\n)*Settled:\n/),
  })
  const json = command(files[name], '--format', 'json')
  const { rows } = JSON.parse(json.out) as Reading
  expect(rows.map(({ amount }) => amount)).toEqual(amounts[name].map((one) => Math.round(Number(one) * 100)))
  const csv = command(files[name], '--kind', 'bank', '--format=csv')
  expect(csv.out).toMatch(/^line,date,amount,.*\r\n/)
  for (const amount of amounts[name]) {
    expect(table.out).toMatch(new RegExp(`^\\d+ +\\d{4}-\\d\\d-\\d\\d +${amount} `, 'm'))
    expect(csv.out).toMatch(new RegExp(`^\\d+,\\d{4}-\\d\\d-\\d\\d,${amount},`, 'm'))
  }
})

test('the command asks with examples, exits with 2, and reads the file with the answer', () => {
  const file = path.join(corpus, 'cases/171-only-deposits-d.csv')
  const asked = command(file)
  expect(asked).toMatchObject({ status: 2, out: '' })
  const [, answer = ''] = /^ {2}--answer '(.+)' /m.exec(asked.err) ?? []
  expect(asked.err).toMatch(/^ {6}line \d+: \d{4}-\d\d-\d\d (income|expense) -?\d/m)
  const { questions } = JSON.parse(command(file, '--format', 'json').out) as Reading
  expect(answer).toBe(`${questions[0]?.field}=${questions[0]?.options[0]?.value}`)
  const told = command(file, '--answer', answer)
  expect(told).toMatchObject({ status: 0, err: expect.stringContaining(`${answer}: as the request says`) })
})

test('the command takes no answer that has no use, asks besides, and exits with 2', () => {
  const file = path.join(corpus, 'cases/171-only-deposits-d.csv')
  const misspelt = command(file, '--answer', 'sings=inverted')
  expect(misspelt).toMatchObject({ status: 2, out: '' })
  expect(misspelt.err).toMatch(/--answer '.*\nThe file has no use for the answer to sings\.\n$/s)
  const idle = command(files.ofx, '--answer', 'fees=extra')
  expect(idle).toEqual({ status: 2, out: '', err: 'The file has no use for the answer to fees.\n' })
})

test('the command reads standard input, and says what kind of account it is for', () => {
  const input = 'Date,Text,Amount\n2026-01-02,Tea,-5.00\n2026-01-03,Pay,80.00\n'
  expect(commandOf(input, '-', '--known', 'kind=current')).toMatchObject({
    status: 0,
    err: expect.stringContaining('signs=as_written: as in a current account'),
  })
  expect(commandOf(input, '-')).toMatchObject({ status: 2 })
  const damaged = input.replace('80.00', '8o.00')
  expect(commandOf(damaged, '-', '--answer', 'signs=as_written')).toEqual({
    ...{ status: 1, out: '' },
    err: expect.stringMatching(/^purse-statements: -, line 3, "8o\.00": .+\n$/),
  })
})

test('the command says in one line what is wrong with a file or its arguments, and exits with 1', () => {
  expect(command('--help')).toEqual({ status: 0, out: expect.stringMatching(/^Usage: .+\n$/), err: '' })
  const missing = path.join(corpus, 'no-such-file')
  const wrong = [
    [],
    [missing],
    [path.join(projectDirectory, 'package.json')],
    [files.csv, '--format', 'xml'],
    [files.csv, '--kind', 'card'],
    [files.csv, '--answer', 'signs'],
    [files.csv, '--answer', 'signs=other'],
    [files.csv, '--unknown'],
  ]
  for (const args of wrong)
    expect(command(...args), args.join(' ')).toEqual({
      status: 1,
      out: '',
      err: expect.stringMatching(/^purse-statements: .+\n$/),
    })
})

const hasHledger = spawnSync('hledger', ['--version']).status === 0

test.skipIf(!hasHledger)('hledger accepts the journal of a statement and of transfers', () => {
  for (const file of [files.ofx, files.csv, path.join(corpus, 'generic-csv/ynab.csv')]) {
    const { out, err } = command(file, '--format', 'hledger')
    execFileSync('hledger', ['-f', '-', 'check'], { input: out })
    const entries = execFileSync('hledger', ['-f', '-', 'print', '-O', 'csv'], {
      input: out,
      encoding: 'utf8',
    })
    const ids = entries
      .split('\n')
      .slice(1, -1)
      .map((line) => line.split(',')[0])
    expect(new Set(ids).size).toBe(Number(/^(\d+) rows/.exec(err)?.[1]))
  }
})

test.skipIf(!hasBrowser)('its module reads the same files in a page', async () => {
  const page = await servePage(
    `import { readStatement } from '${folder}/node_modules/purse-statements/js/index.js'
     globalThis.readStatement = readStatement`,
  )
  const tab = await browser().newPage()
  try {
    await tab.goto(page.url)
    for (const name of names) {
      const bytes = [...(await readFile(files[name]))]
      const read = (bytes: number[]) =>
        readStatement(Uint8Array.from(bytes), { kind: 'bank', today: '2026-12-01' })
      const { rows } = await tab.evaluate(read, bytes)
      expect(rows).toEqual((JSON.parse(command(files[name], '--format', 'json').out) as Reading).rows)
    }
  } finally {
    await tab.close()
    page.close()
  }
})

test('its types need nothing else, and its README leads only to what it brings', async () => {
  const tsc = path.join(projectDirectory, 'node_modules/typescript/bin/tsc')
  const types = path.join(folder, 'node_modules/purse-statements/types/statements/index.d.ts')
  const options = ['--noEmit', '--strict', '--lib', 'es2022', '--types', '', '--module', 'nodenext', types]
  execFileSync(process.execPath, [tsc, ...options], { cwd: folder, stdio: 'pipe' })
  const readme = await readFile(path.join(statementsPackage, 'README.md'), 'utf8')
  const links = [...readme.matchAll(/\]\((?!https?:)([^)]+)\)/g)].map(([, link = '']) => link)
  expect(links.filter((link) => !existsSync(path.join(statementsPackage, link)))).toEqual([])
  expect(existsSync(path.join(statementsPackage, 'LICENSE'))).toBe(true)
  const { dependencies, version } = JSON.parse(
    await readFile(path.join(statementsPackage, 'package.json'), 'utf8'),
  )
  expect(Object.keys(dependencies)).toEqual(['fflate'])
  const project = JSON.parse(await readFile(path.join(projectDirectory, 'package.json'), 'utf8'))
  expect(version).toBe(project.version)
})

/** What the page offers. */
declare function readStatement(bytes: Uint8Array, options: object): Reading
