import type { Answers } from '../../../statements/index.ts'
import { zip } from '../workbooks.ts'

/** A kind of file that is hard to read, in a size of about `n` bytes, and the options that are sent with it. */
export type Shape = { name: string; file: (n: number) => string | Uint8Array; answers?: Answers }

/** Repeats a text until it fills `n` bytes. */
const fill = (text: string, n: number) => text.repeat(Math.ceil(n / text.length))
/** Joins a text for each number until they fill `n` bytes. */
function count(n: number, each: (i: number) => string): string {
  const parts: string[] = []
  for (let i = 0, length = 0; length < n; i += 1) {
    const part = each(i)
    parts.push(part)
    length += part.length
  }
  return parts.join('')
}
const isoDay = (i: number) =>
  new Date(Date.UTC(1950, 0, 1) + (i % 50_000) * 86_400_000).toISOString().slice(0, 10)
/** A table in which header and rows grow alike. */
const table = (n: number, header: string, row: string) =>
  `date,amount,${fill(header, n / 2)}\n${fill(row, n / 2)}`
const utf16 = (text: string) => {
  const bytes = new Uint8Array(text.length * 2)
  for (let i = 0; i < text.length; i += 1) bytes[i * 2] = text.charCodeAt(i)
  return bytes
}

const sgml = (entries: string) =>
  `OFXHEADER:100\n\n<OFX><STMTRS><CURDEF>EUR<BANKACCTFROM><ACCTID>1</BANKACCTFROM><BANKTRANLIST>${entries}</BANKTRANLIST></STMTRS></OFX>`
const ofxEntry = (more: string, i = 0) =>
  `<STMTTRN><DTPOSTED>20260101<TRNAMT>-1.00<FITID>f${i}<NAME>x${more}</STMTTRN>`
const ofxXml = (body: string) =>
  `<?xml version="1.0"?><?OFX OFXHEADER="200"?><OFX><STMTRS><CURDEF>EUR</CURDEF>${body}</STMTRS></OFX>`
const camt = (body: string) =>
  `<?xml version="1.0"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"><BkToCstmrStmt><Stmt><Acct><Id><IBAN>DE02120300000000202051</IBAN></Id><Ccy>EUR</Ccy></Acct>${body}</Stmt></BkToCstmrStmt></Document>`
const camtEntry = (more: string) =>
  `<Ntry><Amt Ccy="EUR">1.00</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2026-01-01</Dt></BookgDt>${more}</Ntry>`
const swift = (body: string) =>
  `:20:x\n:25:DE02120300000000202051\n:60F:C260101EUR1,\n${body}:62F:C260131EUR1,\n-\n`
const xlsx = (cells: string, texts = '', isDeflated = false) =>
  zip(
    {
      'xl/workbook.xml': '<workbook><sheets><sheet name="A"/></sheets></workbook>',
      'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${cells}</sheetData></worksheet>`,
      'xl/sharedStrings.xml': `<sst>${texts}</sst>`,
    },
    isDeflated,
  )
const csv = (body: string) => `date,amount,description\n${body}`

/** What an attacker might send to each reader. None of it may cost more than its size is worth. */
export const shapes: Shape[] = [
  // OFX, SGML
  { name: 'OFX entries', file: (n) => sgml(count(n, (i) => ofxEntry('', i))) },
  {
    name: 'OFX statements of one account',
    file: (n) =>
      `<OFX>${fill('<STMTRS><CURDEF>EUR<STMTTRN><DTPOSTED>20260101<TRNAMT>1</STMTTRN></STMTRS>', n)}</OFX>`,
  },
  {
    name: 'OFX statements of as many accounts',
    file: (n) =>
      `<OFX>${count(n, (i) => `<STMTRS><BANKACCTFROM><ACCTID>${i}</BANKACCTFROM></STMTRS>`)}</OFX>`,
  },
  { name: 'OFX aggregates that never end', file: (n) => `<OFX>${fill('<STMTTRN>', n)}` },
  {
    name: 'OFX aggregates that are nested',
    file: (n) => `<OFX>${fill(`${'<BAL>'.repeat(60)}${'</BAL>'.repeat(60)}`, n)}</OFX>`,
  },
  { name: 'OFX tags of many names', file: (n) => sgml(count(n, (i) => `<T${i}>`)) },
  { name: 'OFX end tags of many names', file: (n) => sgml(count(n, (i) => `</T${i}>`)) },
  { name: 'OFX aggregates of many names', file: (n) => sgml(count(n, (i) => `<T${i}></T${i}>`)) },
  { name: 'OFX tags without end', file: (n) => sgml(fill('<A', n)) },
  { name: 'OFX tag with spaces without end', file: (n) => sgml(`<A${fill(' ', n)}`) },
  { name: 'OFX beginnings with spaces', file: (n) => fill(`<OFX${' '.repeat(60)}`, n) },
  { name: 'OFX brackets', file: (n) => sgml(fill('<', n)) },
  { name: 'OFX comments', file: (n) => sgml(fill('<!---->', n)) },
  { name: 'OFX comments without end', file: (n) => sgml(fill('<!--', n)) },
  { name: 'OFX CDATA sections', file: (n) => sgml(ofxEntry(fill('<![CDATA[&]]>', n))) },
  { name: 'OFX CDATA sections without end', file: (n) => sgml(fill('<![CDATA[', n)) },
  { name: 'OFX ampersands', file: (n) => sgml(ofxEntry(fill('&', n))) },
  { name: 'OFX references that do not end', file: (n) => sgml(ofxEntry(fill('&#x1', n))) },
  { name: 'OFX references', file: (n) => sgml(ofxEntry(fill('&#38;', n))) },
  { name: 'an OFX text of spaces', file: (n) => sgml(ofxEntry(fill(' ', n))) },
  { name: 'OFX errors in every entry', file: (n) => sgml(fill('<STMTTRN><TRNAMT>x</STMTTRN>', n)) },
  {
    name: 'an OFX amount of digits',
    file: (n) => sgml(`<STMTTRN><DTPOSTED>${fill('1', n / 2)}<TRNAMT>${fill('1', n / 2)}</STMTTRN>`),
  },
  // XLSX
  {
    name: 'XLSX cells of one letter',
    file: (n) => xlsx(fill(`<row>${'<c t="str"><v>a</v></c>'.repeat(40)}</row>`, n)),
  },
  {
    name: 'XLSX rows with a date',
    file: (n) => xlsx(fill('<row><c t="str"><v>2026-01-31</v></c><c><v>-1.5</v></c></row>', n)),
  },
  {
    name: 'XLSX tables with titles of their own',
    file: (n) => {
      const row = (...cells: string[]) =>
        `<row>${cells.map((cell) => `<c t="str"><v>${cell}</v></c>`).join('')}</row>`
      return xlsx(count(n, (i) => `${row(`Pot ${i}x`)}${row('date', 'amount')}${row('2026-01-31', '-1.5')}`))
    },
  },
  {
    name: 'XLSX texts of one letter',
    file: (n) => xlsx('<row><c t="s"><v>0</v></c></row>', fill('<si><t>a</t></si>', n)),
  },
  {
    name: 'XLSX rows far apart',
    file: (n) => xlsx(count(n, (i) => `<row r="${(i % 39_999) + 1}"><c r="IV1"/></row>`)),
  },
  {
    name: 'XLSX cells in rows and columns of no number',
    file: (n) => xlsx(fill('<row r="-1"><c r="1A"/></row>', n)),
  },
  {
    name: 'XLSX formats with brackets that never end',
    file: (n) =>
      zip(
        {
          'xl/workbook.xml': '<workbook><sheets><sheet name="A"/></sheets></workbook>',
          'xl/worksheets/sheet1.xml': '<worksheet/>',
          'xl/styles.xml': `<styleSheet><numFmt formatCode="${fill('[', n)}"/></styleSheet>`,
        },
        false,
      ),
  },
  {
    name: 'XLSX that inflates to a thousand times its size',
    file: (n) => xlsx(' '.repeat(n * 20), '', true),
  },
  {
    name: 'XLSX directory entries of many names',
    file: (n) =>
      zip(
        Object.fromEntries(
          Array.from({ length: Math.min(60_000, Math.ceil(n / 100)) }, (_, i) => [`xl/${i}`, '']),
        ),
        false,
      ),
  },
  // OFX, XML
  {
    name: 'OFX XML entries',
    file: (n) => ofxXml(fill('<STMTTRN><DTPOSTED>20260101</DTPOSTED><TRNAMT>1</TRNAMT><MEMO/></STMTTRN>', n)),
  },
  { name: 'OFX XML elements that are empty', file: (n) => ofxXml(fill('<MEMO/>', n)) },
  { name: 'OFX XML processing instructions', file: (n) => ofxXml(fill('<?x?>', n)) },
  { name: 'OFX XML balances', file: (n) => ofxXml(fill('<LEDGERBAL></LEDGERBAL>', n)) },
  // QIF
  { name: 'QIF records', file: (n) => `!Type:Bank\n${count(n, (i) => `D${isoDay(i)}\nT-1.00\nPx\n^\n`)}` },
  { name: 'QIF headers', file: (n) => fill('!Type:Bank\n', n) },
  {
    name: 'QIF records under headers of their own',
    file: (n) => fill('!Type:Bank\nD2026-01-01\nT1\n^\n', n),
  },
  {
    name: 'QIF accounts',
    file: (n) => count(n, (i) => `!Account\nN${i}\n^\n!Type:Bank\nD2026-01-01\nT1\n^\n`),
  },
  { name: 'QIF lines of one record', file: (n) => `!Type:Bank\n${fill('Pa\n', n)}^\n` },
  {
    name: 'QIF lines of many letters',
    file: (n) => `!Type:Bank\n${count(n, (i) => `${String.fromCharCode(0x4e00 + (i % 20_000))}\n`)}^\n`,
  },
  { name: 'QIF splits', file: (n) => `!Type:Bank\n${fill('Sa\nEb\n$1\n', n)}^\n` },
  { name: 'QIF records with errors', file: (n) => `!Type:Bank\n${fill('Dx\nTy\n^\n', n)}` },
  { name: 'QIF lines of spaces', file: (n) => `!Type:Bank\n${fill(`P${' '.repeat(9_000)}\n`, n)}^\n` },
  // CAMT
  { name: 'CAMT entries', file: (n) => camt(fill(camtEntry(''), n)) },
  {
    name: 'CAMT statements of one account',
    file: (n) =>
      `<Document><BkToCstmrStmt>${fill(`<Stmt>${camtEntry('')}</Stmt>`, n)}</BkToCstmrStmt></Document>`,
  },
  {
    name: 'CAMT statements of as many accounts',
    file: (n) =>
      `<Document><BkToCstmrStmt>${count(n, (i) => `<Stmt><Acct><Id><IBAN>${i}</IBAN></Id></Acct></Stmt>`)}</BkToCstmrStmt></Document>`,
  },
  {
    name: 'CAMT details of one entry',
    file: (n) =>
      camt(camtEntry(`<NtryDtls>${fill('<TxDtls><Amt Ccy="EUR">0.01</Amt></TxDtls>', n)}</NtryDtls>`)),
  },
  { name: 'CAMT groups of details', file: (n) => camt(camtEntry(fill('<NtryDtls><TxDtls/></NtryDtls>', n))) },
  {
    name: 'CAMT remittance lines',
    file: (n) =>
      camt(
        camtEntry(`<NtryDtls><TxDtls><RmtInf>${fill('<Ustrd>a</Ustrd>', n)}</RmtInf></TxDtls></NtryDtls>`),
      ),
  },
  {
    name: 'CAMT balances',
    file: (n) => camt(fill('<Bal><Tp><CdOrPrtry><Cd>CLBD</Cd></CdOrPrtry></Tp></Bal>', n)),
  },
  { name: 'CAMT children of one element', file: (n) => camt(fill('<a/>', n)) },
  { name: 'CAMT elements nested', file: (n) => camt(fill(`${'<a>'.repeat(80)}${'</a>'.repeat(80)}`, n)) },
  { name: 'CAMT elements that never end', file: (n) => `<Document><BkToCstmrStmt>${fill('<a>', n)}` },
  { name: 'CAMT attributes of one element', file: (n) => camt(`<a ${count(n, (i) => `a${i}="" `)}/>`) },
  { name: 'CAMT attributes of one name', file: (n) => camt(`<a ${fill('a="" ', n)}/>`) },
  { name: 'a CAMT attribute of spaces', file: (n) => camt(`<a b="${fill(' \n', n)}"/>`) },
  { name: 'CAMT spaces in a tag', file: (n) => camt(`<a${fill(' ', n)}/>`) },
  { name: 'CAMT tags without end', file: (n) => camt(fill('<a ', n)) },
  { name: 'a CAMT name without end', file: (n) => camt(`<${fill('a', n)}`) },
  { name: 'CAMT prefixes', file: (n) => camt(`<${fill('a:', n)}/>`) },
  { name: 'CAMT comments', file: (n) => camt(fill('<!---->', n)) },
  { name: 'CAMT comments without end', file: (n) => camt(fill('<!-- ', n)) },
  { name: 'CAMT CDATA sections', file: (n) => camt(`<a>${fill('<![CDATA[]]]]>', n)}</a>`) },
  { name: 'CAMT CDATA sections without end', file: (n) => camt(fill('<![CDATA[', n)) },
  { name: 'CAMT processing instructions', file: (n) => camt(fill('<?a b?>', n)) },
  { name: 'CAMT processing instructions without end', file: (n) => camt(fill('<?a ', n)) },
  { name: 'CAMT references', file: (n) => camt(`<a>${fill('&amp;&#65;', n)}</a>`) },
  { name: 'CAMT references without end', file: (n) => camt(`<a>${fill('&amp', n)}</a>`) },
  { name: 'CAMT brackets in text', file: (n) => camt(`<a>${fill(']]', n)}</a>`) },
  {
    name: 'CAMT characters beyond the basic plane',
    file: (n) => camt(camtEntry(`<AddtlNtryInf>${fill('😀', n / 2)}</AddtlNtryInf>`)),
  },
  { name: 'CAMT errors in every entry', file: (n) => camt(fill('<Ntry/>', n)) },
  { name: 'beginnings of CAMT names', file: (n) => `<${fill('a.', n)}BkToCstmr` },
  { name: 'CAMT declarations', file: (n) => camt(fill('<!DOCTYP', n)) },
  // MT940
  { name: 'MT940 entries', file: (n) => swift(fill(':61:260101C1,NTRFx//y\n:86:a\n', n)) },
  {
    name: 'MT940 statements',
    file: (n) => fill(':20:x\n:25:1\n:60F:C260101EUR1,\n:61:260101C1,NTRF\n:62F:C260131EUR1,\n', n),
  },
  { name: 'MT940 statements without a closing balance', file: (n) => fill(':20:x\n', n) },
  { name: 'MT940 accounts', file: (n) => count(n, (i) => `:20:x\n:25:${i}\n:62F:C260131EUR1,\n`) },
  { name: 'MT940 errors in every entry', file: (n) => swift(fill(':61:\n', n)) },
  { name: 'MT940 details', file: (n) => swift(`:61:260101C1,NTRF\n${fill(':86:a\n', n)}`) },
  {
    name: 'MT940 details of slashes',
    file: (n) =>
      swift(
        fill(
          `:61:260101C1,NTRF\n:86:/REMI/${'/'.repeat(6_000)}x\n${`${'/'.repeat(6_000)}x\n`.repeat(40)}`,
          n,
        ),
      ),
  },
  {
    name: 'MT940 details of codes',
    file: (n) => swift(fill(`:61:260101C1,NTRF\n:86:/EREF/${'/REMI/'.repeat(900)}\n`, n)),
  },
  {
    name: 'MT940 details of numbers',
    file: (n) => swift(fill(`:61:260101C1,NTRF\n:86:166?00${'?20'.repeat(2_000)}\n`, n)),
  },
  {
    name: 'MT940 details of SEPA codes',
    file: (n) => swift(fill(`:61:260101C1,NTRF\n:86:166?20${'EREF+'.repeat(1_000)}\n`, n)),
  },
  {
    name: 'MT940 details of spaces',
    file: (n) => swift(fill(`:61:260101C1,NTRF\n:86:${' '.repeat(9_000)}x\n`, n)),
  },
  { name: 'MT940 balances of spaces', file: (n) => swift(fill(`:60F:C260101${' '.repeat(9_000)}x\n`, n)) },
  { name: 'MT940 lines of a field', file: (n) => swift(`:86:${fill('a\n', n)}`) },
  { name: 'MT940 entry of digits', file: (n) => swift(fill(`:61:260101C${'1'.repeat(9_000)}\n`, n)) },
  { name: 'MT940 entry of spaces', file: (n) => swift(fill(`:61:${' '.repeat(9_000)}\n`, n)) },
  {
    name: 'MT940 entry of spaces behind its date',
    file: (n) => swift(fill(`:61:260101${' '.repeat(9_000)}x\n`, n)),
  },
  { name: 'MT940 blocks', file: (n) => fill(`{1:${'{4:'.repeat(3_000)}\n`, n) },
  { name: 'MT940 old line ends', file: (n) => swift(fill('@@:', n)) },
  { name: 'MT940 marks of old line ends', file: (n) => `:20:${fill('@', n)}` },
  { name: 'MT940 numbered lines', file: (n) => swift(`:61:260101C1,NTRF\n${fill(':NS:01a\n02b\n', n)}`) },
  // Recognising a file
  { name: 'line ends before SWIFT', file: (n) => `x\n:20:y\n${fill('\n', n)}` },
  { name: 'line separators before SWIFT', file: (n) => `x\n:20:y\n${fill('\u2028', n)}` },
  { name: 'marks of old line ends before SWIFT', file: (n) => `x\n:20:y\n${fill('@@ ', n)}` },
  { name: 'white space', file: (n) => fill(' \t\n', n) },
  { name: 'white space before a letter', file: (n) => `${fill(' \n', n)}x` },
  { name: 'carriage returns', file: (n) => fill('\r', n) },
  { name: 'line ends of every kind', file: (n) => csv(fill('\r\n\n\r', n)) },
  { name: 'a web page', file: (n) => `<${fill('html', n)}` },
  { name: 'JSON', file: (n) => `[${fill(' ', n)}` },
  { name: 'a byte order mark for each letter', file: (n) => fill('\ufeff', n / 3) },
  // Encodings
  { name: 'bytes of no encoding', file: (n) => new Uint8Array(n).fill(0xff) },
  { name: 'continuation bytes', file: (n) => new Uint8Array(n).fill(0x80) },
  {
    name: 'letters of Windows-1250',
    file: (n) => Uint8Array.from({ length: n }, (_, i) => [0x61, 0xb9, 0x62, 0x0a][i % 4] ?? 0),
  },
  { name: 'UTF-16', file: (n) => utf16(csv(fill('2026-01-01,1,a\n', n / 2))) },
  {
    name: 'UTF-8 with stray bytes',
    file: (n) => Uint8Array.from({ length: n }, (_, i) => [0xc3, 0xa4, 0xff, 0x0a][i % 4] ?? 0),
  },
  { name: 'NULs', file: (n) => fill('a\0', n) },
  // CSV
  { name: 'CSV rows', file: (n) => csv(count(n, (i) => `${isoDay(i)},-${i % 100}.50,"row ${i}"\n`)) },
  { name: 'CSV records that are no rows', file: (n) => csv(fill(',,x\n', n)) },
  { name: 'CSV empty lines', file: (n) => csv(fill('\n', n)) },
  { name: 'CSV delimiters', file: (n) => csv(fill(',', n)) },
  { name: 'CSV delimiters of every kind', file: (n) => fill(',;\t|', n) },
  { name: 'CSV lines of delimiters', file: (n) => csv(fill(`${','.repeat(200)}\n`, n)) },
  { name: 'CSV quotes', file: (n) => csv(fill('"', n)) },
  { name: 'CSV quotes and letters', file: (n) => csv(`"${fill('a"', n)}`) },
  { name: 'CSV quotes and line ends', file: (n) => csv(`"${fill('a"\n', n)}`) },
  { name: 'CSV quotes and spaces', file: (n) => csv(`"${fill(`" ${' '.repeat(1_000)}x`, n)}`) },
  { name: 'a CSV quote before spaces', file: (n) => csv(fill(`"a" ${' '.repeat(50)}b\n`, n)) },
  { name: 'CSV quotes that are not doubled', file: (n) => csv(fill('2026-01-01,1,"Bar "Sun""\n', n)) },
  { name: 'CSV quotes in one line', file: (n) => csv(fill(`${'"a",'.repeat(100)}"b"c\n`, n)) },
  {
    name: 'a CSV cell of letters and a number',
    file: (n) => `${fill('a', n / 2)}11,b\n"${fill('a', n / 2)}\n11",b\n`,
  },
  { name: 'a CSV cell of lines of letters', file: (n) => `"${fill('abc def\n', n)}11",b\nc,d\n` },
  { name: 'a CSV cell of digits', file: (n) => csv(`2026-01-01,"${fill('1\n', n)}",x\n`) },
  { name: 'CSV amounts of separators', file: (n) => csv(fill(`2026-01-01,"1${',1'.repeat(35)}",x\n`, n)) },
  { name: 'CSV amounts of words', file: (n) => csv(fill(`2026-01-01,1${' kr'.repeat(25)},x\n`, n)) },
  { name: 'CSV dates of digits', file: (n) => csv(fill(`${'1'.repeat(70)},1,x\n`, n)) },
  { name: 'CSV dates of spaces', file: (n) => csv(fill(`2026-01-01${' '.repeat(68)}x,1,x\n`, n)) },
  { name: 'CSV dates of letters', file: (n) => csv(fill(`1 ${'a'.repeat(70)},1,x\n`, n)) },
  { name: 'CSV errors in every row', file: (n) => csv(fill('2026-13-01,x,y\n', n)) },
  {
    name: 'CSV currencies, one for each row',
    file: (n) =>
      `date,amount,currency\n${count(n, (i) => `2026-01-01,1,${String.fromCharCode(65 + (i % 26), 65 + (Math.floor(i / 26) % 26), 65 + (Math.floor(i / 676) % 26))}\n`)}`,
  },
  {
    name: 'CSV accounts, one for each row',
    file: (n) => `date,amount,account\n${count(n, (i) => `2026-01-01,1,a${i}\n`)}`,
  },
  { name: 'CSV balances', file: (n) => `date,amount,balance\n${count(n, (i) => `2026-01-01,1,${i}.00\n`)}` },
  { name: 'CSV descriptions that go on', file: (n) => csv(`2026-01-01,1,a\n${fill(',,b\n', n)}`) },
  {
    name: 'CSV headers below many titles',
    file: (n) =>
      `${fill(`Account 2,${'é'.repeat(190)}\n`, n / 50)}${fill('Account 1\ndate,amount\n', n / 20)}`,
  },
  {
    name: 'CSV tables with titles of their own',
    file: (n) => count(n, (i) => `Account ${i}\ndate,amount,description\n2026-01-01,-1.50,x\n\n`),
  },
  { name: 'CSV headers as rows', file: (n) => fill('date,amount,description\n', n) },
  { name: 'CSV header candidates', file: (n) => fill('date,amount,debit,credit,balance,type\n', n) },
  { name: 'CSV columns of one name', file: (n) => table(n, 'reference,', '2026-01-01,1\n') },
  { name: 'CSV columns of dates', file: (n) => table(n, 'value date,', '2026-01-01,1\n') },
  {
    name: 'CSV columns of descriptions',
    file: (n) =>
      `date,amount,${'memo,'.repeat(200)}\n${fill(`2026-01-01,1,${count(2_000, (i) => `d${i},`).slice(0, 900)}\n`, n)}`,
  },
  { name: 'CSV columns of currencies', file: (n) => table(n, 'CAD$,', '2026-01-01,1\n') },
  { name: 'CSV columns without a name', file: (n) => table(n, ',', '2026-01-01,1\n') },
  {
    name: 'CSV columns, 200 of them, and narrow rows',
    file: (n) => `date,amount,${'x,'.repeat(200)}\n${fill('2026-01-01,1\n', n)}`,
  },
  { name: 'CSV headers of accents', file: (n) => `${fill(`${'\u0300\u0316'.repeat(95)},`, n / 4)}\n` },
  { name: 'CSV headers of brackets', file: (n) => fill(`${'('.repeat(190)},`, n) },
  { name: 'CSV headers of bracketed spaces', file: (n) => fill(`(${' '.repeat(190)},b\n`, n) },
  { name: 'CSV footers', file: (n) => csv(`2026-01-01,1,x\n${fill('total,,x\n', n)}`) },
  { name: 'CSV IBANs', file: (n) => `${fill('DE02 1203 0000 0000 2020 51;', n)}\ndate;amount\n` },
  { name: 'CSV halves of IBANs', file: (n) => `${fill('DE02 1203 ', n)}\ndate;amount\n` },
  { name: 'CSV without headers', file: (n) => count(n, (i) => `${isoDay(i)},-${i}.50,x\n`) },
  { name: 'CSV columns without headers', file: (n) => fill(`${'2026-01-01,-1.50,'.repeat(50)}x\n`, n) },
  {
    name: 'CSV balances of undated rows',
    file: (n) => `date,amount,balance,fee,memo\n${fill(`,,1.25,1.26,${'x'.repeat(120)}\n`, n)}`,
  },
  {
    name: 'CSV columns without headers, their dates ambiguous',
    file: (n) => count(n, (i) => `${`0${1 + (i % 9)}/02/2026,-1.50,`.repeat(4)}${'x'.repeat(64)}\n`),
  },
  { name: 'CSV cells of one letter', file: (n) => csv(fill(`${'a,'.repeat(120)}\n`, n)) },
  {
    name: 'CSV that is mapped',
    file: (n) => fill(`${'a,'.repeat(120)}\n`, n),
    answers: { 'mapping.date': 'When', 'mapping.amount': 'How much', 'mapping.description': 'What' },
  },
  {
    name: 'CSV cells of accents',
    file: (n) => csv(fill(`2026-01-01,1,${'a\u0300\u0316'.repeat(100)}\n`, n)),
  },
  {
    name: 'CSV cells that shrink when folded',
    file: (n) => csv(fill(`2026-01-01,1,${'İ'.repeat(190)}\n`, n)),
  },
]
