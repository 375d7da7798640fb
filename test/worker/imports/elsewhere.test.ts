import { expect, test } from 'vitest'
import { createWorld, openAccount, registerVerified } from '../fixtures/world.ts'
import { sendFile } from './send-file.ts'

/** Statements of an account with one row, by format. */
const statements: Record<string, (account: string, day: string) => string> = {
  ofx: (account, day) => `OFXHEADER:100
DATA:OFXSGML

<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>EUR
<BANKACCTFROM><BANKID>1<ACCTID>${account}<ACCTTYPE>CHECKING</BANKACCTFROM>
<BANKTRANLIST><STMTTRN><TRNTYPE>DEBIT<DTPOSTED>202611${day}<TRNAMT>-12.50<FITID>A${day}<NAME>Coffee</STMTTRN></BANKTRANLIST>
</STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>
`,
  mt940: (account, day) => `:20:X
:25:${account}
:28C:1
:60F:C2611${day}EUR100,00
:61:2611${day}11${day}D12,50NMSCNONREF
:86:Coffee
:62F:C2611${day}EUR87,50
-
`,
}

test.each(Object.entries(statements))(
  'a statement (%s) of an account that went elsewhere is asked about once',
  async (_, statement) => {
    const world = createWorld()
    const person = await registerVerified(world)
    const [card, giro] = [
      await openAccount(person, { name: 'Card' }),
      await openAccount(person, { name: 'Giro' }),
    ]
    const send = async (account: string, day: string, into: { id: number }, options = '') =>
      sendFile({ world, person }, `bank/store?account_id=${into.id}${options}`, statement(account, day))
    const stored = async (...of: Parameters<typeof send>) => {
      const { status, text } = await send(...of)
      expect(status, text).toBe(200)
    }
    await stored('4711', '03', card)
    await stored('4711', '04', card)
    await stored('4712', '03', giro)
    const { status, body } = await send('4711', '05', giro, '&remember=false')
    expect([status, Object.keys(body.errors)]).toEqual([422, ['statement_account']])
    const other = await openAccount(person, { name: 'Other' })
    const asked = await send('4711', '05', other)
    expect([asked.status, asked.body.errors]).toEqual([
      422,
      { statement_account: ['The file is of the account 4711, which was imported into Card.'] },
    ])
    expect(asked.body.questions).toMatchObject([
      { field: 'statement_account', options: [{ value: '4711', label: 'import 4711 into this account' }] },
    ])
    await stored('4711', '05', other, '&statement_account=4711')
    // Asked once: both accounts take it from now on, and a new number is nothing new.
    await stored('4711', '06', other)
    await stored('4711', '07', card)
    await stored('4713', '07', await openAccount(person, { name: 'Third' }))
  },
)
