import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatMoney, type Minor, maxAmount } from '../../src/domain/money.ts'
import { read } from './corpus.ts'

type Entry = { date: string; amount: Minor; text: string; reference: string }

const entry: fc.Arbitrary<Entry> = fc.record({
  date: fc
    .date({ min: new Date('1980-01-01'), max: new Date('2069-12-31'), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10)),
  amount: fc
    .tuple(fc.integer({ min: 1, max: maxAmount }), fc.boolean())
    .map(([amount, out]) => (out ? -amount : amount) as Minor),
  text: fc
    .stringMatching(/^[A-Za-z][A-Za-z0-9 &<>;,"'.äéñłß€]{0,40}[A-Za-z0-9]$/)
    .map((text) => text.replace(/ +/g, ' ')),
  reference: fc.stringMatching(/^[A-Z][0-9]{4,12}$/),
})
const entries = fc.array(entry, { maxLength: 12 })

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
const unsigned = (amount: Minor) => formatMoney(Math.abs(amount) as Minor)
const compact = (date: string) => date.replaceAll('-', '')
const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`

const writers: Record<string, (all: Entry[]) => string> = {
  csv: (all) =>
    ['Booking date;Amount;Description;Transaction ID']
      .concat(
        all.map((one) =>
          [one.date, formatMoney(one.amount).replace('.', ','), quoted(one.text), one.reference].join(';'),
        ),
      )
      .join('\r\n')
      .concat('\r\n'),
  'csv with debit and credit': (all) =>
    ['Date,Debit,Credit,Description,Reference']
      .concat(
        all.map((one) =>
          [
            one.date,
            one.amount < 0 ? unsigned(one.amount) : '',
            one.amount > 0 ? unsigned(one.amount) : '',
            quoted(one.text),
            one.reference,
          ].join(','),
        ),
      )
      .join('\n')
      .concat('\n'),
  'ofx sgml': (all) =>
    `OFXHEADER:100\n\n<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>EUR<BANKTRANLIST>${all
      .map(
        (one) =>
          `<STMTTRN><TRNTYPE>OTHER\n<DTPOSTED>${compact(one.date)}120000[-5:EST]\n<TRNAMT>${formatMoney(one.amount)}\n<FITID>${one.reference}\n<NAME>${escaped(one.text)}\n</STMTTRN>`,
      )
      .join('\n')}</BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>`,
  'ofx xml': (all) =>
    `<?xml version="1.0"?><?OFX OFXHEADER="200"?><OFX><CREDITCARDMSGSRSV1><CCSTMTTRNRS><CCSTMTRS><CURDEF>EUR</CURDEF><BANKTRANLIST>${all
      .map(
        (one) =>
          `<STMTTRN><DTPOSTED>${compact(one.date)}</DTPOSTED><TRNAMT>${formatMoney(one.amount).replace('.', ',')}</TRNAMT><FITID>${one.reference}</FITID><MEMO>${escaped(one.text)}</MEMO></STMTTRN>`,
      )
      .join('')}</BANKTRANLIST></CCSTMTRS></CCSTMTTRNRS></CREDITCARDMSGSRSV1></OFX>`,
  qif: (all) =>
    `!Type:Bank\n${all.map((one) => `D${one.date}\nT${formatMoney(one.amount)}\nP${one.text}\nN${one.reference}\n^\n`).join('')}`,
  camt: (all) =>
    `<Document><BkToCstmrStmt><Stmt><Acct><Ccy>EUR</Ccy></Acct>${all
      .map(
        (one) =>
          `<Ntry><Amt Ccy="EUR">${unsigned(one.amount)}</Amt><CdtDbtInd>${one.amount < 0 ? 'DBIT' : 'CRDT'}</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>${one.date}</Dt></BookgDt><AcctSvcrRef>${one.reference}</AcctSvcrRef><NtryDtls><TxDtls><RmtInf><Ustrd>${escaped(one.text)}</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>`,
      )
      .join('')}</Stmt></BkToCstmrStmt></Document>`,
  mt940: (all) =>
    `:20:X\n:25:1\n:28C:1\n:60F:C260101EUR0,00\n${all
      .map((one) => {
        const day = compact(one.date).slice(2)
        return `:61:${day}${day.slice(2)}${one.amount < 0 ? 'D' : 'C'}${unsigned(one.amount).replace('.', ',')}NTRFNONREF//${one.reference}\n:86:${one.text}\n`
      })
      .join('')}:62F:C260101EUR0,00\n-\n`,
}

describe('what is written is read', () => {
  test.each(Object.entries(writers))('as %s', (_, write) => {
    fc.assert(
      fc.property(entries, (all) => {
        // The rows may happen to be income alone.
        const rows = read(write(all), { signs: 'as_written' }).accounts.flatMap((account) => account.entries)
        expect(
          rows.map(({ date, amount, description, reference }) => ({
            date,
            amount,
            text: description,
            reference,
          })),
        ).toEqual(all)
      }),
      { numRuns: 150 },
    )
  })
})
