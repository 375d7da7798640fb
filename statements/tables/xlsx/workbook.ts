import type { FileQuestion } from '../../../src/domain/file-questions.ts'
import { pluralize } from '../../../src/domain/pluralize.ts'
import { accountNames, chooseAccount, exampleRows, leftOut } from '../../shared/accounts.ts'
import { Aspects, type Choice } from '../../shared/aspect.ts'
import { type Attributes, readXml } from '../../shared/markup.ts'
import type { ReadOptions } from '../../shared/options.ts'
import { readAnyway } from '../../shared/questions.ts'
import type { BankStatement, StatementAccount } from '../../shared/statement.ts'
import { cleanText } from '../../shared/text.ts'
import { refuseFile, Unreadable } from '../../shared/unreadable.ts'
import { holdsDateAndAmount } from '../text/contents.ts'
import { readSheet, wholeRoom } from './sheet.ts'
import { openZip } from './zip.ts'

/** `hidden` are the numbers of rows with a date and an amount that are not shown. */
type Sheet = { name: string; rows: string[][]; hidden: number[] }

/**
 * The most bytes that the parts of a workbook may inflate to, all together. Usually they inflate to some ten times the
 * size of the file; a small file must not take as long to read as a large one.
 */
const maxInflated = (size: number) => Math.min(8 * 1024 ** 2, 1024 ** 2 + 40 * size)
const maxSheets = 20
/** Built-in date formats, which have a number but no code (ECMA-376 part 1, 18.8.30). */
const isBuiltInDate = (id: number) =>
  (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 50 && id <= 58)

type ReadTable = (text: string, options: ReadOptions) => BankStatement

/** A sheet that was read, with the first answers to its questions if it is `asking` some. */
type ReadSheet = { name: string; statement: BankStatement; asking: Unreadable | null }

/**
 * Reads the bank statement in an Excel workbook: each sheet with a table is read like a CSV file, and is an account of
 * its own where there are several. Their questions are asked at once, and those of the account that is meant if it has been
 * told. Null if the bytes are no workbook. Throws Unreadable.
 */
export function readWorkbook(
  bytes: Uint8Array,
  options: ReadOptions,
  readTable: ReadTable,
): BankStatement | null {
  const all = filledSheets(bytes)
  if (!all) return null
  const aspects = new Aspects(options)
  const areIn = settleHidden(all, aspects) !== 'skipped'
  const sheets = areIn ? all : all.map(withoutHidden)
  const read: ReadSheet[] = []
  let refusal: unknown = null
  for (const sheet of sheets) {
    try {
      read.push(readOneSheet(sheet, options, readTable, isTable(sheet, sheets)))
    } catch (error) {
      // A sheet without transactions, such as a summary, is passed over.
      if (!(error instanceof Unreadable) || isTable(sheet, sheets)) throw error
      refusal ??= error
    }
  }
  if (read.length === 0) throw refusal ?? refuseFile('The workbook is empty.')
  const ofSheets = read.map(({ name, statement }) =>
    statement.accounts.map((account) => ({
      ...account,
      identifier: read.length > 1 ? [name, account.identifier].filter(Boolean).join('/') : account.identifier,
    })),
  )
  const accounts = ofSheets.flat()
  askAtOnce(read, ofSheets, options, hiddenQuestions(all, accounts, aspects))
  const { settled: { delimiter: _, ...settled } = {}, headers = [] } = read[0]?.statement ?? {}
  if (!areIn)
    for (const { rows, hidden } of all)
      accounts[0]?.leftOut.push(
        ...hidden.map((line) => leftOut(line, rows[line - 1]?.join(' ') ?? '', 'hidden')),
      )
  return { format: 'csv', accounts, settled: { ...settled, ...aspects.settled }, headers }
}

/** Whether hidden rows are in or out, by an answer; without one, they are in. */
function settleHidden(sheets: Sheet[], aspects: Aspects): string {
  const lines = sheets.flatMap(({ hidden }) => hidden)
  const [first] = lines
  if (first === undefined) return ''
  return aspects.settle('states.hidden rows', () => ({
    question: `The workbook has ${pluralize(lines.length, 'hidden row')} with a date and an amount, such as row ${first}.`,
    options: [
      { value: 'booked', label: 'Import them too.' },
      { value: 'skipped', label: 'Leave them out.' },
    ],
  }))
}

function withoutHidden({ rows, hidden, ...sheet }: Sheet): Sheet {
  const gone = new Set(hidden)
  return { ...sheet, hidden, rows: rows.map((row, i) => (gone.has(i + 1) ? [] : row)) }
}

/** The question about hidden rows, if it is open, with some of them. */
function hiddenQuestions(
  sheets: Sheet[],
  accounts: StatementAccount[],
  { questions }: Aspects,
): FileQuestion[] {
  const lines = new Set(sheets.flatMap(({ hidden }) => hidden))
  const rows = exampleRows(
    accounts.flatMap(({ entries }) => entries).filter(({ lines: [line = 0] }) => lines.has(line)),
  )
  return questions.map((question) => ({
    ...question,
    options: question.options.map((option) => ({
      ...option,
      example: option.value === 'booked' ? rows.slice(0, 3) : [],
    })),
  }))
}

function readOneSheet(
  { name, rows }: Sheet,
  options: ReadOptions,
  readTable: ReadTable,
  mayAsk: boolean,
): ReadSheet {
  const [text, told] = [toCsv(rows), separatedByCommas(options)]
  try {
    return { name, statement: readTable(text, told), asking: null }
  } catch (error) {
    const isAsking = mayAsk && error instanceof Unreadable && error.questions.length > 0
    const statement = isAsking ? readAnyway(readTable, text, told) : null
    if (!isAsking || !statement) throw error
    return { name, statement, asking: error }
  }
}

/** Throws Unreadable with the questions of all sheets, or of the one that is meant, `others`, and which account that is. */
function askAtOnce(
  read: ReadSheet[],
  ofSheets: StatementAccount[][],
  options: ReadOptions,
  others: FileQuestion[],
): void {
  const told = options.answers?.statement_account
  const names = accountNames(ofSheets.flat())
  const sheetOf = ofSheets.flatMap((accounts, sheet) => accounts.map(() => sheet))
  const meant = told === undefined ? undefined : sheetOf[names.indexOf(told)]
  const open = read.flatMap(({ asking }, sheet) =>
    asking && (meant === undefined || meant === sheet) ? [asking] : [],
  )
  const [first] = open
  if (!first && others.length === 0) return
  const byField = Map.groupBy(
    open.flatMap(({ questions }) => questions),
    ({ field }) => field,
  )
  const questions = [...byField.values()].flatMap(([one, ...same]) => {
    const options = [...(one?.options ?? []), ...same.flatMap((other) => other.options)]
    const isFirst = ({ value }: Choice, i: number) =>
      options.findIndex((other) => other.value === value) === i
    return one ? [{ ...one, options: options.filter(isFirst) }] : []
  })
  const ofAccounts = byField.has('statement_account') ? [] : accountQuestions(ofSheets.flat(), options)
  throw new Unreadable({ ...first, questions: [...questions, ...ofAccounts, ...others] })
}

/** The question which account is meant, if there are several and none has been told. */
function accountQuestions(accounts: StatementAccount[], options: ReadOptions): FileQuestion[] {
  if (accounts.length < 2 || options.answers?.statement_account !== undefined) return []
  try {
    chooseAccount(accounts, options)
    return []
  } catch (error) {
    if (error instanceof Unreadable) return error.questions
    throw error
  }
}

/** The options with which a sheet is read, whose cells are separated by commas. */
export function separatedByCommas({ answers, ...options }: ReadOptions): ReadOptions {
  return { ...options, answers: { ...answers, delimiter: ',' } }
}

/** The one table of an Excel workbook as CSV, separated by commas; null if the bytes are no workbook. Throws Unreadable. */
export function readOnlyTable(bytes: Uint8Array): string | null {
  const sheets = filledSheets(bytes)
  if (!sheets) return null
  const [table = sheets[0], ...others] = sheets.filter((sheet) => isTable(sheet, sheets))
  if (!table || others.length > 0) refuseFile('The workbook must have exactly one table.')
  return toCsv(table.rows)
}

/** The visible sheets that have anything in them; null if the bytes are no workbook. */
function filledSheets(bytes: Uint8Array): Sheet[] | null {
  const isZip = bytes[0] === 0x50 && bytes[1] === 0x4b
  const archive = isZip ? openZip(bytes, maxInflated(bytes.byteLength)) : null
  const workbook = archive?.('xl/workbook.xml')
  if (!archive || !workbook) return null
  return sheetsOf(archive, workbook).filter(({ rows }) => rows.some((row) => row.some(Boolean)))
}

/** The visible sheets, in their order. */
function sheetsOf(archive: (name: string) => string, workbook: string): Sheet[] {
  const { found, epoch } = visibleSheets(workbook)
  const paths = sheetPaths(archive('xl/_rels/workbook.xml.rels'))
  const texts = sharedTexts(archive('xl/sharedStrings.xml'))
  const dateFormats = dateFormatsOf(archive('xl/styles.xml'))
  const context = { texts, dateFormats, epoch, room: { ...wholeRoom } }
  return found.map(({ name, id }, i) => {
    const target = paths.get(id) ?? `worksheets/sheet${i + 1}.xml`
    const path = target.startsWith('/') ? target.slice(1) : `xl/${target}`
    const { rows, hidden } = readSheet(archive(path), context)
    return { name, rows, hidden: [...hidden].filter((number) => holdsDateAndAmount(rows[number - 1] ?? [])) }
  })
}

/** The names and relation ids of the visible sheets, and the day from which dates are counted. */
function visibleSheets(workbook: string): { found: { name: string; id: string }[]; epoch: number } {
  const found: { name: string; id: string }[] = []
  let epoch = Date.UTC(1899, 11, 30)
  const open = (name: string, attributes: Attributes) => {
    if (name === 'workbookPr' && /^(?:1|true)$/.test(attributes.get('date1904') ?? ''))
      epoch = Date.UTC(1904, 0, 1)
    if (name !== 'sheet' || attributes.get('state')?.includes('idden')) return
    const id = [...attributes].find(([key]) => key.endsWith(':id'))?.[1] ?? ''
    found.push({ name: cleanText(attributes.get('name') ?? '') ?? '', id })
  }
  readXml(workbook, { open })
  if (found.length > maxSheets) refuseFile(`The workbook must not have more than ${maxSheets} sheets.`)
  return { found, epoch }
}

/** Where the archive has its sheets, by relation id. */
function sheetPaths(xml: string): Map<string, string> {
  const paths = new Map<string, string>()
  const open = (_: string, attributes: Attributes) =>
    paths.set(attributes.get('Id') ?? '', attributes.get('Target') ?? '')
  readXml(xml, { open })
  return paths
}

/** The texts that cells refer to by number. */
function sharedTexts(xml: string): string[] {
  const texts: string[] = []
  let text = ''
  let isReading = true
  const open = (name: string) => {
    if (name === 'si') [text, isReading] = ['', true]
    // The pronunciation of a text follows it.
    if (name === 'rPh') isReading = false
  }
  const close = (name: string, own: string) => {
    if (name === 't' && isReading) text += own
    if (name === 'si') texts.push(text)
  }
  readXml(xml, { open, close })
  return texts
}

/** For each cell format, whether it is that of a date. */
function dateFormatsOf(xml: string): boolean[] {
  const dateCodes = new Set<number>()
  let dateFormats: boolean[] = []
  const open = (name: string, attributes: Attributes) => {
    const id = Number(attributes.get('numFmtId') ?? 0)
    // An unclosed quote or bracket takes the rest: otherwise each would be searched for its end anew.
    const code = (attributes.get('formatCode') ?? '').replace(/"[^"]*"?|\[[^\]]*\]?|[\\_*]./g, '')
    if (name === 'numFmt' && /[dy]/i.test(code) && !/general/i.test(code)) dateCodes.add(id)
    // The formats before these are those of cell styles.
    if (name === 'cellXfs') dateFormats = []
    if (name === 'xf') dateFormats.push(isBuiltInDate(id) || dateCodes.has(id))
  }
  readXml(xml, { open })
  return dateFormats
}

function toCsv(rows: string[][]): string {
  const escaped = (cell: string) => {
    const text = cell.replace(/[\r\n]+/g, ' ')
    return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  }
  return rows.map((row) => `${row.map(escaped).join(',')}\n`).join('')
}

/**
 * True for a sheet in which two rows have a date and an amount, or one does, below a header that another
 * sheet has too: such a sheet may not be passed over.
 */
function isTable({ rows }: Sheet, sheets: Sheet[]): boolean {
  const [first = 0, ...others] = rows.flatMap((row, i) => (holdsDateAndAmount(row) ? [i] : []))
  const header = (rows[first - 1] ?? []).filter(Boolean)
  const isHeader = (row: string[]) => header.length > 1 && `${row.filter(Boolean)}` === `${header}`
  return others.length > 0 || sheets.some((other) => other.rows !== rows && other.rows.some(isHeader))
}
