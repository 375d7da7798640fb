import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import type { Kind } from '../../statements/index.ts'
import { shapes } from './hostile/shapes.ts'
import { workbook } from './workbooks.ts'

const fileBytes = 5 * 1024 * 1024
/**
 * The heap in which the largest file must be read: 33 MB, and the 12 that Node and the reader's modules take. In Workers,
 * pointers are half as long. The file and its text are outside the heap and take up to three bytes for each byte of the
 * file, which is why `BodyMemory` counts on eight.
 */
const heap = { maxOldGenerationSizeMb: 33 + 12, maxYoungGenerationSizeMb: 4 }

/** The shapes with many small parts, each of which a reader might keep. */
const manyParts =
  /many names|as many accounts|nested$|balances$|QIF headers|many letters|details of one|groups of|remittance|children of|attributes of one element|CAMT references$|OFX CDATA sections$|without a closing|lines of a field|CSV delimiters|one letter|columns without|empty lines|undated|ambiguous/

/** Ten thousand rows, as wide as the largest file allows. */
const rows = 10_000
const purpose = 'Übertrag – Miete 2026 '.repeat(8)
const list = (row: string) => row.repeat(rows)
const sizable: File[] = [
  [
    'XLSX',
    workbook({
      A: [
        ['Date', 'Amount', 'Description', 'Balance'],
        ...Array.from({ length: rows }, () => ['2026-01-01', -1.5, purpose.slice(0, 100), 1.25]),
      ],
    }),
  ],
  ['CSV', `date,amount,description\n${list(`2026-01-01,-1.50,"${purpose}"\n`)}`],
  [
    'wide CSV',
    `date,amount,description${',x'.repeat(150)}\n${list(`2026-01-01,-1.50,a${',y'.repeat(150)}\n`)}`,
  ],
  [
    'OFX',
    `<OFX><STMTRS><CURDEF>EUR<BANKTRANLIST>${list(`<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20260101<TRNAMT>-1.50<FITID>1<NAME>Jo<MEMO>${purpose}</STMTTRN>`)}</BANKTRANLIST></STMTRS></OFX>`,
  ],
  [
    'CAMT',
    `<Document><BkToCstmrStmt><Stmt><Acct><Ccy>EUR</Ccy></Acct>${list(`<Ntry><Amt Ccy="EUR">1.50</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2026-01-01</Dt></BookgDt><NtryDtls><TxDtls><Refs><EndToEndId>1</EndToEndId></Refs><RmtInf><Ustrd>${purpose}</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>`)}</Stmt></BkToCstmrStmt></Document>`,
  ],
  [
    'CAMT with one batch',
    `<Document><BkToCstmrStmt><Stmt><Acct><Ccy>EUR</Ccy></Acct><Ntry><Amt Ccy="EUR">15000</Amt><CdtDbtInd>DBIT</CdtDbtInd><BookgDt><Dt>2026-01-01</Dt></BookgDt><NtryDtls>${list(`<TxDtls><Refs><EndToEndId>1</EndToEndId></Refs><Amt Ccy="EUR">1.50</Amt><RltdPties><Cdtr><Nm>Jo</Nm></Cdtr></RltdPties><RmtInf><Ustrd>${purpose}</Ustrd></RmtInf></TxDtls>`)}</NtryDtls></Ntry></Stmt></BkToCstmrStmt></Document>`,
  ],
  [
    'MT940',
    `:20:x\n:60F:C260101EUR1,\n${list(`:61:260101D1,50NTRFNONREF\n:86:${purpose}\n`)}:62F:C260131EUR1,\n-\n`,
  ],
  ['QIF', `!Type:Bank\n${list(`D2026-01-01\nT-1.50\nPJo\nM${purpose}\n^\n`)}`],
]

type File = [name: string, file: string | Uint8Array]

/** Reads files one after another in that heap; throws at the first that does not fit. */
async function readInLittleMemory(files: Iterable<File>, kind: Kind): Promise<Map<string, number>> {
  const reader = new Worker(new URL('./hostile/reader.ts', import.meta.url), { resourceLimits: heap })
  const read = new Map<string, number>()
  try {
    for (const [name, file] of files) {
      const response = once(reader, 'message')
      reader.postMessage({ bytes: typeof file === 'string' ? new TextEncoder().encode(file) : file, kind })
      const [count] = await response.catch((error) => {
        throw new Error(`A file of ${name} does not fit into the memory it may take.`, { cause: error })
      })
      read.set(name, count)
    }
  } finally {
    await reader.terminate()
  }
  return read
}

test('ten thousand rows of any format are read in a small multiple of their size', async () => {
  for (const [name, file] of sizable) expect([name, file.length < fileBytes]).toEqual([name, true])
  const csv = sizable.filter(([name]) => name === 'CSV')
  for (const [kind, files] of [
    ['bank', sizable],
    ['own', csv],
  ] as const) {
    const read = await readInLittleMemory(files, kind)
    expect([...read]).toEqual(files.map(([name]) => [name, rows]))
  }
})

test('what attackers send is read, or refused, in as little', async () => {
  const harmful = shapes.filter(({ name }) => manyParts.test(name) && !name.startsWith('XLSX directory'))
  expect(harmful.length).toBeGreaterThan(20)
  function* files(): Generator<File> {
    for (const { name, file } of harmful) yield [name, file(fileBytes)]
  }
  expect((await readInLittleMemory(files(), 'bank')).size).toBe(harmful.length)
})
