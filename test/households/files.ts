import { addDays, type CalendarDate, lastDayOf } from '../../src/domain/dates.ts'
import { formatMoney, type Minor } from '../../src/domain/money.ts'
import type { Dice } from '../dice.ts'
import type { Bank, Booking } from './banks.ts'

/** A file as a bank offers it for download: everything booked since some day, up to the download. */
export type BankFile = {
  bank: Bank
  name: string
  contentType: string
  text: string
  downloaded: CalendarDate
  bookings: Booking[]
}

const currency = 'EUR'
/** What both accounts held at first, in minor units. */
const opening = 350_000

/** One file a month for each bank, downloaded early in the next; most begin some days before the last one ended. */
export function filesOf(dice: Dice, bookings: Booking[], start: CalendarDate, months: number): BankFile[] {
  return (['giro', 'second'] as const)
    .flatMap((bank) =>
      filesOfBank(
        dice,
        bank,
        bookings.filter(({ account }) => account === bank),
        start,
        months,
      ),
    )
    .sort((a, b) => a.downloaded.localeCompare(b.downloaded))
}

function filesOfBank(
  dice: Dice,
  bank: Bank,
  bookings: Booking[],
  start: CalendarDate,
  months: number,
): BankFile[] {
  const booked = bookings.toSorted((a, b) => a.date.localeCompare(b.date))
  const files: BankFile[] = []
  let since = start
  let month = start
  for (let count = 1; count <= months; count++) {
    const next = addDays(lastDayOf(month.slice(0, 7)), 1)
    const downloaded = addDays(next, count === months ? 9 : dice.from(0, 9))
    // One month in twenty is forgotten until the next one.
    if (count === months || !dice.happens(0.05)) {
      const rows = booked.filter(({ date }) => date >= since && date <= downloaded)
      const before = booked.filter(({ date }) => date < since)
      files.push(fileOf(bank, rows, opening + sum(before), downloaded))
      since = addDays(downloaded, dice.oneOf([1, 1, -3, -10]))
    }
    month = next
  }
  return files.filter(({ bookings }) => bookings.length > 0)
}

const sum = (bookings: Booking[]) => bookings.reduce((total, { amount }) => total + amount, 0)

function fileOf(bank: Bank, bookings: Booking[], before: number, downloaded: CalendarDate): BankFile {
  const [extension, contentType, write] =
    bank === 'giro' ? (['csv', 'text/csv', csvOf] as const) : (['xml', 'application/xml', camtOf] as const)
  return {
    bank,
    name: `${bank}-${downloaded}.${extension}`,
    contentType,
    text: write(bookings, before, downloaded),
    downloaded,
    bookings,
  }
}

function csvOf(bookings: Booking[], before: number): string {
  let balance = before
  const lines = bookings.map(({ date, amount, description, reference }) => {
    balance += amount
    const cells = [date, `"${description.replaceAll('"', '""')}"`, reference, money(amount), money(balance)]
    return `${cells.join(',')}\n`
  })
  return `Booking date,Description,Bank reference,Amount,Balance\n${lines.join('')}`
}

function camtOf(bookings: Booking[], before: number, downloaded: CalendarDate): string {
  const after = before + sum(bookings)
  const balance = `<Bal><Tp><CdOrPrtry><Cd>CLBD</Cd></CdOrPrtry></Tp>${camtAmount(after)}<Dt><Dt>${downloaded}</Dt></Dt></Bal>`
  const entries = bookings.map(
    ({ date, amount, description, reference }) =>
      `<Ntry>${camtAmount(amount)}<Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>${date}</Dt></BookgDt><AcctSvcrRef>${reference}</AcctSvcrRef><NtryDtls><TxDtls><RmtInf><Ustrd>${escaped(description)}</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>\n`,
  )
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt>
<Stmt><Id>${downloaded}</Id><Acct><Id><IBAN>DE02120300000000202051</IBAN></Id><Ccy>${currency}</Ccy></Acct>
${balance}
${entries.join('')}</Stmt></BkToCstmrStmt></Document>
`
}

function camtAmount(cents: number): string {
  return `<Amt Ccy="${currency}">${money(Math.abs(cents))}</Amt><CdtDbtInd>${cents < 0 ? 'DBIT' : 'CRDT'}</CdtDbtInd>`
}

const money = (cents: number) => formatMoney(cents as Minor)
const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
