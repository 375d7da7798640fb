import { type CalendarDate, isCalendarDate } from '../../src/domain/dates.ts'
import { monthNumber, thaiMonth, thaiMonths } from './month-names.ts'
import { withAsciiDigits } from './text.ts'

/** Which of day, month and year comes first, second and third. */
export type DateOrder = 'dmy' | 'mdy' | 'ymd' | 'ydm'

/**
 * A date as it is written. `settled` is the day if the order is plain, as in 2026-02-01 and 1 Feb 2026. `readings` has
 * the day for each order in which 01/02/2026, say, may be written; null if there is no such day.
 */
export type WrittenDate = {
  settled: CalendarDate | null
  readings: Partial<Record<DateOrder, CalendarDate | null>>
  /** The same with a year of two digits in the Buddhist era: 69 is 2569, which is 2026. */
  buddhist?: WrittenDate
}

/** A cell or field that should hold a date; `written` is null if it does not. */
export type DateCell = { line: number; text: string; written: WrittenDate | null }

/** The orders as answers write them. */
export const dateFormats: Record<DateOrder, string> = {
  dmy: 'DD/MM/YYYY',
  mdy: 'MM/DD/YYYY',
  ymd: 'YYYY-MM-DD',
  ydm: 'YYYY-DD-MM',
}

const maxLength = 80
/** What may follow a date: `01/31/2026 as of 01/30/2026`, and the time zone in OFX, `20260131120000.000[0:GMT]`. */
const suffix = / as of .*$|(?:\.\d{1,3})?\s?\[[-+\w:. ]*\]$/i
/** `2026年1月31日`, and the same in Korean. */
const inCharacters = /^(\d{4})[年년]\s?(\d{1,2})[月월]\s?(\d{1,2})[日일]/
/** A time in front of a date. */
const timeBefore = /^\d{1,2}:\d{2}(?::\d{2})? /
const weekday = /^(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?[.,]{0,2} /i
/** Years of an era: `令和8年1月31日` and `R8.1.31` in Japan, `115/01/31` or `1150131` in Taiwan. */
const ofEra = /^(?:(?:令和|R)(\d\d?)|(?:民國)?(1\d\d))(?=[年./-]|(?:0\d|1[0-2])[0-3]\d$)/
/** A time and whatever follows it. All of it is ignored, even a time zone: the day is taken as it is written. */
const time = String.raw`(?:[T\s,/|-]{1,3}\d{1,2}[:.h]\d{2}.*|Z|[+-]\d{2}:?\d{2})?$`
const yearFirst = new RegExp(
  String.raw`^(?<year>\d{4})(?<separator>[-/. ])\s?(?<second>\d{1,2})\k<separator>\s?(?<third>\d{1,2})\.?${time}`,
)
const compact = new RegExp(
  String.raw`^(\d{2})(\d{2})(\d{2})(\d{2})(?:(?:[01]\d|2[0-4])[0-5]\d(?:[0-5]\d)?)?${time}`,
)
const yearLast = new RegExp(
  String.raw`^(\d{1,2})\s?([-/.])\s?(\d{1,2})\s?([-/.']{1,2})\s?(\d{4}|\d{1,2})\.?${time}`,
)
const dayMonthName = new RegExp(
  String.raw`^(?<day>\d{1,2})(?:st|nd|rd|th|º|er)?[\s./-]{0,2}(?:de\s)?(?<name>\p{L}{3,12})[\s.,/'-]{0,2}(?:de\s)?(?<year>\d{4}|\d{2})\.?${time}`,
  'u',
)
const monthNameDay = new RegExp(
  String.raw`^(?<name>\p{L}{3,12})\.?\s(?<day>\d{1,2})(?:st|nd|rd|th)?,?\s(?<year>\d{4})${time}`,
  'u',
)
const yearMonthName = new RegExp(
  String.raw`^(?<year>\d{4})[\s-](?<name>\p{L}{3,12})[\s-](?<day>\d{1,2})${time}`,
  'u',
)

/** Reads a cell once; later questions about its date use the result. */
export function dateCell(line: number, text: string): DateCell {
  return { line, text, written: readWrittenDate(text) }
}

/** The dates that were read last: those of a file are few, and each is read several times. */
const recent = new Map<string, WrittenDate | null>()
const maxRecent = 1_000

/** Takes a date apart; null if the text is not one. 2026-02-30 is written as a date but has no reading. */
export function readWrittenDate(raw: string): WrittenDate | null {
  if (raw.length > maxLength || !/\p{Nd}/u.test(raw)) return null
  const cached = recent.get(raw)
  if (cached !== undefined) return cached
  if (recent.size === maxRecent) recent.clear()
  const read = takenApart(raw)
  recent.set(raw, read)
  return read
}

function takenApart(raw: string): WrittenDate | null {
  const text = withAsciiDigits(raw)
    .trim()
    .replace(/\s+/g, ' ')
    .replace(suffix, '')
    .replace(timeBefore, '')
    .replace(weekday, '')
    .replace(ofEra, inOurYears)
    .replace(inCharacters, '$1-$2-$3')
    .replace(thaiMonth, (name) => ` ${thaiMonths.get(name)} `)
    .replace(/ {2,}/g, ' ')
  return readYearFirst(text) ?? readCompact(text) ?? readYearLast(text) ?? readMonthName(text)
}

function inOurYears(_: string, reiwa: string | undefined, roc: string): string {
  return String(reiwa ? Number(reiwa) + 2018 : Number(roc) + 1911)
}

function readYearFirst(text: string): WrittenDate | null {
  const groups = yearFirst.exec(text)?.groups
  if (!groups) return null
  const { year = '', second = '', third = '' } = groups
  const ymd = dateOf(year, second, third)
  return { settled: ymd, readings: { ymd, ydm: dateOf(year, third, second) } }
}

/** 20260201 and 20260201120000; 01022026 only if it cannot be read with the year first. */
function readCompact(text: string): WrittenDate | null {
  const match = compact.exec(text)
  if (!match) return null
  const [, a = '', b = '', c = '', d = ''] = match
  // Other eight digits may be the number of a bank.
  const isYear = (year: string) => /^(?:19|2)/.test(year)
  const ymd = isYear(a) ? dateOf(a + b, c, d) : null
  const [dmy, mdy] = isYear(c) ? [dateOf(c + d, b, a), dateOf(c + d, a, b)] : []
  if (!ymd && !dmy && !mdy) return null
  return { settled: ymd, readings: { ymd, ydm: dateOf(a + b, d, c), ...(ymd ? {} : { dmy, mdy }) } }
}

function readYearLast(text: string): WrittenDate | null {
  const match = yearLast.exec(text)
  if (!match) return null
  const [, a = '', separator = '', b = '', quote = '', tail = ''] = match
  // Quicken writes '6 for 2006; everybody else writes years with two or four digits.
  if (tail.length === 1 && !quote.includes("'")) return { settled: null, readings: {} }
  const year = quote.includes("'") && tail.length < 4 ? `20${tail.padStart(2, '0')}` : fullYear(tail)
  const era = tail.length === 2 ? buddhistYear(tail) : null
  const dmy = dateOf(year, b, a)
  const mdy = dateOf(year, a, b)
  // 26-02-01 has a short year in front only if no other order fits.
  const ymd = tail.length === 2 && a.length === 2 ? dateOf(fullYear(a), b, tail) : null
  const shortYearFirst = dmy === null && mdy === null ? ymd : null
  // Nobody who puts the month first separates with dots: 01.02.2026 is 1 February.
  const dotted = separator === '.' && quote === '.' ? dmy : null
  const buddhist = era && { settled: null, readings: { dmy: dateOf(era, b, a), mdy: dateOf(era, a, b) } }
  return { settled: dotted ?? shortYearFirst, readings: { dmy, mdy, ymd }, ...(buddhist && { buddhist }) }
}

function readMonthName(text: string): WrittenDate | null {
  const match = dayMonthName.exec(text) ?? monthNameDay.exec(text) ?? yearMonthName.exec(text)
  const { day = '', name = '', year = '' } = match?.groups ?? {}
  const month = monthNumber(name)
  if (month === null) return null
  const inYear = (one: string): WrittenDate => ({ settled: dateOf(one, String(month), day), readings: {} })
  return { ...inYear(fullYear(year)), ...(year.length === 2 && { buddhist: inYear(buddhistYear(year)) }) }
}

/** Two digits mean 1970 to 2069. */
function fullYear(year: string): string {
  if (year.length !== 2) return year
  return `${Number(year) < 70 ? '20' : '19'}${year}`
}

const buddhistYear = (year: string) => `25${year}`

/** A day; years from 2443 on are those of the Buddhist era, which is 543 years ahead. */
function dateOf(written: string, month: string, day: string): CalendarDate | null {
  const year = Number(written) > 2442 ? String(Number(written) - 543) : written
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  return isCalendarDate(date) ? date : null
}
