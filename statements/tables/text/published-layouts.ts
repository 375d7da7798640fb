import { csvHeaders } from '../../../src/domain/transaction-fields.ts'
import type { SignConvention } from '../../shared/options.ts'
import { type CsvField, csvFields } from './header-names.ts'
import { type Header, headersOf } from './headers.ts'

/** A header row as a bank or an app writes it, and what its documentation or public samples prove about it. */
export type Layout = {
  name: string
  /** The columns of fields that their headers do not tell; an empty text if no column has the field. */
  columns: Partial<Record<CsvField, string>>
  signs: SignConvention | null
  app: AppRows | null
}

/** A column by its header, and the text with which its cells begin. */
type Cell = [header: string, text: string]

/** The columns of an account's name and type, by their headers. */
type Party = [name: string, type: string]

/** What the rows of an app's export are besides income and expenses. Rows without an amount are left out. */
export type AppRows = {
  /** One half of a transfer. */
  half?: Cell
  /** One half of a transfer whose other account is what follows the text; the other half may be missing. */
  transfer?: Cell
  /** The same, if the other half is there: the column may also hold a payee. */
  mirrored?: Cell
  /** A starting balance. */
  start?: Cell
  /** Left out: its parts follow in rows of their own. */
  split?: Cell
  /** Each row goes from one account to another; the types of those that are the user's own are in `own`. */
  between?: { from: Party; to: Party; own: string[] }
  /** Double entries: rows of one `id` are one event. The names of the user's own accounts begin with one of `own`. */
  journal?: { id: string; account: string; currency: string; voided: string; own: string[] }
}

type Line = [
  name: string,
  source: string,
  headers: string,
  signs: SignConvention | null,
  columns?: Layout['columns'],
  app?: AppRows,
]

const ynab: AppRows = { transfer: ['Payee', 'Transfer : '], start: ['Payee', 'Starting Balance'] }
const actual: AppRows = {
  mirrored: ['Payee', ''],
  start: ['Payee', 'Starting Balance'],
  split: ['Notes', '(SPLIT INTO '],
}
const moneyWiz: AppRows = { transfer: ['Transfers', ''], start: ['Description', 'Opening balance'] }
/** Firefly III has added columns over the years: these are in all its exports (firefly-iii ExportDataGenerator.php). */
const fireflyColumns = ['type', 'amount', 'description', 'date', 'source_name', 'destination_name']
const firefly: Layout = {
  name: 'Firefly III',
  columns: { date: 'date', account: 'source_name', type: '', counter_account: '', status: '' },
  signs: null,
  app: {
    between: {
      from: ['source_name', 'source_type'],
      to: ['destination_name', 'destination_type'],
      own: ['Asset account', 'Default account', 'Loan', 'Debt', 'Mortgage'],
    },
    start: ['type', 'Opening balance'],
  },
}

const gnuCash: AppRows = {
  journal: {
    id: 'Transaction ID',
    account: 'Full Account Name',
    currency: 'Commodity/Currency',
    voided: 'Void Reason',
    own: ['Assets:', 'Liabilities:'],
  },
  start: ['Full Account Name', 'Equity:Opening Balances'],
}

/** Where a bank writes the same headers with different signs for accounts and cards, a layout says nothing of signs. */
// biome-ignore format: one layout a line
const lines: Line[] = [
  ['American Express', 'samples in public importers', 'Date|Description|Card Member|Account #|Amount', 'inverted'],
  ['American Express', 'samples in public importers', 'Date|Description|Card Member|Account #|Amount|Extended Details|Appears On Your Statement As|Address|City/State|Zip Code|Country|Reference|Category', 'inverted'],
  ['American Express', 'samples in public importers', 'Date|Description|Card Member|Account #|Amount|Extended Details|Appears On Your Statement As|Address|City/Town|State/Province|Zip Code|Country|Reference|Category', 'inverted'],
  ['American Express', 'samples in public importers', 'Date|Description|Card Member|Account #|Amount|Extended Details|Appears On Your Statement As|Address|Town/City|Postcode|Country|Reference|Category', 'inverted'],
  ['American Express', 'samples in public importers', 'Date|Description|Amount|Extended Details|Appears On Your Statement As|Address|City/State|Zip Code|Country|Reference|Category', 'inverted'],
  ['Bank of America cards', 'bank2ynab/bank2ynab US Bank of America Credit Card', 'Posted Date|Reference Number|Payee|Address|Amount', 'as_written'],
  ['Chase cards', 'bank2ynab/bank2ynab US Chase Credit Card 2019', 'Transaction Date|Post Date|Description|Category|Type|Amount|Memo', 'as_written'],
  ['Chase cards', 'bank2ynab/bank2ynab US Chase Credit Card 2019', 'Transaction Date|Post Date|Description|Category|Type|Amount', 'as_written'],
  ['Chase cards', 'bank2ynab/bank2ynab US Chase Credit Card 2017', 'Type|Trans Date|Post Date|Description|Amount', 'as_written'],
  ['Discover', 'redstreet/beancount_reds_importers, Discover card', 'Trans. Date|Post Date|Description|Amount|Category', 'inverted'],
  ['Curve', 'samples in public importers', 'Export Format|Date (YYYY-MM-DD as UTC)|Time (HH:MM:SS as UTC)|Merchant|Txn Amount (Funding Card)|Txn Currency (Funding Card)|Txn Amount (Foreign Spend)|Txn Currency (Foreign Spend)|Card Name|Card Last 4 Digits|Type|Category|Notes', 'inverted', { type: '' }],
  ['Curve', 'samples in public importers', 'Date (YYYY-MM-DD as UTC)|Merchant|Txn Amount (Funding Card)|Txn Currency (Funding Card)|Txn Amount (Foreign Spend)|Txn Currency (Foreign Spend)|Card Name|Card Last 4 Digits|Type|Category|Notes', 'inverted', { type: '' }],
  ['Copilot Money', 'samples in public importers', 'date|name|amount|status|category|parent category|excluded|tags|type|account|account mask|note|recurring', 'inverted', { type: '' }, { half: ['type', 'internal transfer'] }],
  ['Rocket Money', 'samples in public importers', 'Date|Original Date|Account Type|Account Name|Account Number|Institution Name|Name|Custom Name|Amount|Description|Category|Note|Ignored From|Tax Deductible|Transaction Tags', 'inverted', { account: 'Account Name' }, {}],
  ['Rocket Money', 'samples in public importers', 'Date|Original Date|Account Type|Account Name|Account Number|Institution Name|Name|Custom Name|Amount|Description|Category|Note|Ignored From|Tax Deductible', 'inverted', { account: 'Account Name' }, {}],
  ['Monarch', 'samples in public importers', 'Date|Merchant|Category|Account|Original Statement|Notes|Amount|Tags|Owner', 'as_written', {}, {}],
  ['Monarch', 'samples in public importers', 'Date|Merchant|Category|Account|Original Statement|Notes|Amount|Tags', 'as_written', {}, {}],
  ['Simplifi', 'samples in public importers', 'Date|Payee|Amount|Account|Category|Tags|Notes', 'as_written', {}, {}],
  ['Cashew', 'samples in public importers', 'account|amount|currency|title|note|date|income|type|category name|subcategory name|color|icon|emoji|budget|objective', 'as_written', { type: '' }, {}],
  ['Cashew', 'samples in public importers', 'account|amount|currency|title|note|date|income|category name|subcategory name', 'as_written', { type: '' }, {}],
  ['Nubank cards', 'firefly-iii/import-configurations br/nubank/credit', 'date|category|title|amount', 'inverted'],
  ['Barclays', 'firefly-iii/import-configurations gb/barclays', 'Number|Date|Account|Amount|Subcategory|Memo', 'as_written'],
  ['Boursorama', 'firefly-iii/import-configurations fr/boursorama', 'dateOp|dateVal|label|category|categoryParent|supplierFound|amount|comment|accountNum|accountLabel|accountbalance', 'as_written'],
  ['N26', 'firefly-iii/import-configurations de/n26', 'Booking Date|Value Date|Partner Name|Partner Iban|Type|Payment Reference|Account Name|Amount (EUR)|Original Amount|Original Currency|Exchange Rate', 'as_written'],
  ['N26', 'bank2ynab/bank2ynab DE N26', 'Datum|Empfänger|Kontonummer|Transaktionstyp|Verwendungszweck|Kategorie|Betrag (EUR)|Betrag (Fremdwährung)|Fremdwährung|Wechselkurs', 'as_written', { counter_account: 'Kontonummer', account: '' }],
  ['DKB', 'firefly-iii/import-configurations de/dkb/csv-giro', 'Buchungsdatum|Wertstellung|Status|Zahlungspflichtige*r|Zahlungsempfänger*in|Verwendungszweck|Umsatztyp|IBAN|Betrag (€)|Gläubiger-ID|Mandatsreferenz|Kundenreferenz', 'as_written', { counter_account: 'IBAN' }],
  ['Commerzbank', 'firefly-iii/import-configurations de/commerzbank/csv-giro', 'Buchungstag|Wertstellung|Umsatzart|Buchungstext|Betrag|Währung|Auftraggeberkonto|Bankleitzahl Auftraggeberkonto|IBAN Auftraggeberkonto', 'as_written', { account: 'IBAN Auftraggeberkonto', description: 'Buchungstext' }],
  ['German savings banks', 'firefly-iii/import-configurations de/sparkasse csv-mt940', 'Auftragskonto|Buchungstag|Valutadatum|Buchungstext|Verwendungszweck|Beguenstigter/Zahlungspflichtiger|Kontonummer|BLZ|Betrag|Waehrung|Info', 'as_written', { account: 'Auftragskonto', counter_account: 'Kontonummer' }],
  ['German savings banks', 'firefly-iii/import-configurations de/sparkasse csv-camt', 'Auftragskonto|Buchungstag|Valutadatum|Buchungstext|Verwendungszweck|Glaeubiger ID|Mandatsreferenz|Kundenreferenz (End-to-End)|Sammlerreferenz|Lastschrift Ursprungsbetrag|Auslagenersatz Ruecklastschrift|Beguenstigter/Zahlungspflichtiger|Kontonummer/IBAN|BIC (SWIFT-Code)|Betrag|Waehrung|Info', 'as_written'],
  ['German savings banks, cards', 'bank2ynab/bank2ynab DE Sparkasse credit card', 'Umsatz getätigt von|Belegdatum|Buchungsdatum|Originalbetrag|Originalwährung|Umrechnungskurs|Buchungsbetrag|Buchungswährung|Transaktionsbeschreibung|Transaktionsbeschreibung Zusatz|Buchungsreferenz|Gebührenschlüssel|Länderkennzeichen|BAR-Entgelt+Buchungsreferenz|AEE+Buchungsreferenz|Abrechnungskennzeichen', 'as_written'],
  ['DKB', 'milenvoutchev/2ynab samples', 'Buchungstag|Wertstellung|Buchungstext|Auftraggeber / Begünstigter|Verwendungszweck|Kontonummer|BLZ|Betrag (EUR)|Gläubiger-ID|Mandatsreferenz|Kundenreferenz', 'as_written', { counter_account: 'Kontonummer', account: '' }],
  ['ING', 'fabolhak/ofxstatement-de-ing tests', 'Buchung|Wertstellungsdatum|Auftraggeber/Empfänger|Buchungstext|Verwendungszweck|Betrag|Währung', 'as_written'],
  ['Consorsbank', 'bank2ynab/bank2ynab DE Consorsbank checking', 'Buchung|Valuta|Sender / Empfänger|IBAN / Konto-Nr.|BIC / BLZ|Buchungstext|Verwendungszweck|Kategorie|Stichwörter|Umsatz geteilt|Betrag in EUR', 'as_written', { counter_account: 'IBAN / Konto-Nr.' }],
  ['bunq', 'bank2ynab/bank2ynab NL Bunq checking', 'Datum|Bedrag|Rekening|Tegenrekening|Naam|Omschrijving', 'as_written'],
  ['bunq', 'bank2ynab/bank2ynab NL Bunq checking', 'Date|Amount|Account|Counterparty|Name|Description', 'as_written'],
  ['bunq', 'samples in public importers', 'Date|Interest Date|Amount|Account|Counterparty|Name|Description', 'as_written'],
  ['bunq', 'bank2ynab/bank2ynab NL bunqDesktop', 'Date|Amount|Account from|Account receiving|Name account holder|Description', 'as_written', { account: 'Account from' }],
  ['Rabobank cards', 'bank2ynab/bank2ynab NL Rabobank Credit Card', 'Tegenrekening IBAN|Munt|Creditcard Nummer|Productnaam|Creditcard Regel1|Creditcard Regel2|Transactiereferentie|Datum|Bedrag|Omschrijving|Oorspr bedrag|Oorspr munt|Koers', 'as_written', { account: 'Tegenrekening IBAN', counter_account: '' }],
  ['BNP Paribas Fortis', 'firefly-iii/import-configurations be/bnp-paribas-fortis', 'Volgnummer|Uitvoeringsdatum|Valutadatum|Bedrag|Valuta rekening|Rekeningnummer|Type verrichting|Tegenpartij|Naam van de tegenpartij|Mededeling|Details|Status|Reden van weigering', 'as_written'],
  ['BNP Paribas Fortis', 'bank2ynab/bank2ynab BE BNP Paribas Fortis old', 'Volgnummer|Uitvoeringsdatum|Valutadatum|Bedrag|Valuta rekening|TEGENPARTIJ VAN DE VERRICHTING|Details|Rekeningnummer', 'as_written'],
  ['Fintro', 'supernelis/ofxstatement-be-fintro tests', 'Volgnummer|Uitvoeringsdatum|Valutadatum|Bedrag|Valuta rekening|Details|Rekeningnummer', 'as_written'],
  ['Keytrade', 'bank2ynab/bank2ynab BE Keytrade Bank', 'Uittreksel|Datum|Valutadatum|Rekening|Omschrijving|Bedrag|Valuta', 'as_written', { counter_account: 'Rekening', account: '' }],
  ['Neon', 'bank2ynab/bank2ynab CH Neon', 'Date|Amount|Original amount|Original currency|Exchange rate|Description|Subject|Category|Tags|Wise|Spaces', 'as_written'],
  ['Monzo', 'bank2ynab/bank2ynab UK Monzo checking', 'id|created|amount|currency|local_amount|local_currency|category|emoji|description|address|notes|receipt', 'as_written'],
  ['Monzo', 'samples in public importers', 'Transaction ID|Date|Time|Type|Name|Emoji|Category|Amount|Currency|Local amount|Local currency|Notes and #tags|Address|Receipt|Description|Category split|Money Out|Money In', 'as_written', { amount: 'Amount', debit: '', credit: '' }],
  ['Starling', 'samples in public importers', 'Date|Counter Party|Reference|Type|Amount (GBP)|Balance (GBP)|Spending Category|Notes', 'as_written'],
  ['Nubank', 'samples in public importers', 'Data|Valor|Identificador|Descrição', 'as_written'],
  ['T-Bank', 'samples in public importers', 'Дата операции|Дата платежа|Номер карты|Статус|Сумма операции|Валюта операции|Сумма платежа|Валюта платежа|Кэшбэк|Категория|MCC|Описание|Бонусы (включая кэшбэк)|Округление на инвесткопилку|Сумма операции с округлением', 'as_written', { date: 'Дата операции', amount: 'Сумма платежа', currency: 'Валюта платежа', foreign_currency: 'Валюта операции' }],
  ['Trade Republic', 'samples in public importers', 'datetime|date|account_type|category|type|asset_class|name|symbol|shares|price|amount|fee|tax|currency|original_amount|original_currency|fx_rate|description|transaction_id|counterparty_name|counterparty_iban|payment_reference|mcc_code', 'as_written', { date: 'date', amount: 'amount' }],
  ['Kaspi', 'samples in public importers', 'Дата|Операция|Сумма|Категория', 'as_written'],
  ['Länsförsäkringar', 'bank2ynab/bank2ynab SE Länsförsäkringar checking', 'Bokföringsdatum|Transaktionsdatum|Transaktionstyp|Meddelande|Belopp', 'as_written'],
  ['Alior', 'bank2ynab/bank2ynab PL Alior Bank', 'Data transakcji|Data księgowania|Nazwa nadawcy|Nazwa odbiorcy|Szczegóły transakcji|Kwota operacji|Waluta operacji|Kwota w walucie rachunku|Waluta rachunku|Numer rachunku nadawcy|Numer rachunku odbiorcy', 'as_written', { amount: 'Kwota w walucie rachunku', foreign_currency: 'Waluta operacji' }],
  ['Meituan', 'samples in public importers', '交易创建时间|交易成功时间|交易类型|订单标题|收/支|支付方式|订单金额|实付金额|交易单号|商家单号|备注', null, { amount: '实付金额' }],
  ['mBank', 'firefly-iii/import-configurations pl/mbank', '#Data operacji|#Opis operacji|#Rachunek|#Kategoria|#Kwota', 'as_written'],
  ['ANZ', 'firefly-iii/import-configurations nz/anz', 'Type|Details|Particulars|Code|Reference|Amount|Date|ForeignCurrencyAmount|ConversionCharge', 'as_written'],
  ['Revolut', 'bank2ynab/bank2ynab Revolut', 'Type|Started Date|Completed Date|Description|Amount|Currency|State', 'as_written'],
  ['Revolut', 'bank2ynab/bank2ynab Revolut', 'Type|Product|Started Date|Completed Date|Description|Amount|Fee|Currency|State|Balance', 'as_written'],
  ['YNAB', 'samples in public importers', 'Account|Flag|Date|Payee|Category Group/Category|Category Group|Category|Memo|Outflow|Inflow|Cleared', null, { category: 'Category', status: '' }, ynab],
  ['YNAB 4', 'samples in public importers', 'Account|Flag|Check Number|Date|Payee|Category|Master Category|Sub Category|Memo|Outflow|Inflow|Cleared|Running Balance', null, { category: 'Sub Category', reference: 'Check Number', status: '' }, ynab],
  ['YNAB 4', 'samples in public importers', 'Account|Flag|Check Number|Date|Payee|Category Group/Category|Master Category|Sub Category|Memo|Outflow|Inflow|Cleared|Running Balance', null, { category: 'Sub Category', reference: 'Check Number', status: '' }, ynab],
  ['Actual', 'actualbudget/actual export-to-csv.ts', 'Account|Date|Payee|Notes|Category|Amount|Split_Amount|Cleared', 'as_written', { status: '' }, actual],
  ['Actual', 'actualbudget/actual export-to-csv.ts', 'Account|Date|Payee|Notes|Category|Amount|Cleared|Reconciled', 'as_written', { status: '' }, actual],
  ['Mint', 'samples in public importers', 'Date|Description|Original Description|Amount|Transaction Type|Category|Account Name|Labels|Notes', null, { description: 'Description' }, {}],
  ['Sure, Maybe', 'we-promise/sure data_exporter.rb and entry.rb', 'date|account_name|amount|name|category|tags|notes|currency', 'inverted', {}, {}],
  ['Money Lover', 'samples in public importers', 'ID|Note|Amount|Category|Account|Currency|Date|Event|Exclude Report', 'as_written', { reference: '' }, {}],
  ['Money Lover', 'samples in public importers', 'Id|Date|Category|Amount|Currency|Note|Wallet', 'as_written', { reference: '' }, {}],
  ['Wallet by BudgetBakers', 'samples in public importers', 'account|category|currency|amount|ref_currency_amount|type|payment_type|payment_type_local|note|date|gps_latitude|gps_longitude|gps_accuracy_in_meters|warranty_in_month|transfer|payee|labels|envelope_id|custom_category', 'as_written', { type: '', amount: 'amount' }, { half: ['transfer', 'true'] }],
  ['Wallet by BudgetBakers', 'samples in public importers', 'account|category|currency|amount|ref_currency_amount|type|payment_type|note|date|transfer|payee|labels', null, { amount: 'amount' }, { half: ['transfer', 'true'] }],
  ['MoneyWiz', 'samples in public importers', 'Name|Current balance|Account|Transfers|Description|Payee|Category|Date|Time|Memo|Amount|Currency|Check #|Tags', 'as_written', { balance: '' }, moneyWiz],
  ['MoneyWiz', 'samples in public importers', 'Name|Current balance|Account|Transfers|Description|Payee|Category|Date|Time|Memo|Amount|Currency|Check #|Tags|Balance', 'as_written', { balance: '' }, moneyWiz],
  ['MoneyWiz', 'samples in public importers', 'Name|Current balance|Account|Transfers|Description|Payee|Category|Date|Memo|Amount|Currency|Check #|Tags|Balance', 'as_written', { balance: '' }, moneyWiz],
  ['MoneyWiz', 'samples in public importers', 'Name|Current balance|Account|Transfers|Description|Payee|Category|Date|Memo|Amount|Currency|Cheque N°|Tags|Balance', 'as_written', { balance: '' }, moneyWiz],
  ['Toshl', 'samples in public importers', 'Date|Account|Category|Tags|Expense amount|Income amount|Currency|In main currency|Main currency|Description', null, { debit: 'Expense amount', credit: 'Income amount' }, {}],
  ['GnuCash', 'Gnucash/gnucash csv-transactions-export.cpp', 'Date|Transaction ID|Number|Description|Notes|Commodity/Currency|Void Reason|Action|Memo|Full Account Name|Account Name|Amount With Sym|Amount Num.|Value With Sym|Value Num.|Reconcile|Reconcile Date|Rate/Price', null, { amount: 'Amount Num.', account: 'Full Account Name', category: 'Account Name', currency: '', status: '', type: '', reference: '' }, gnuCash],
  ['GnuCash', 'Gnucash/gnucash csv-transactions-export.cpp', 'Date|Transaction ID|Number|Description|Notes|Commodity/Currency|Void Reason|Action|Memo|Full Account Name|Account Name|Amount With Sym.|Amount Num.|Value With Sym.|Value Num.|Reconcile|Reconcile Date|Rate/Price', null, { amount: 'Value Num.', account: 'Full Account Name', category: 'Account Name', currency: '', status: '', type: '', reference: '', counter_account: '' }, gnuCash],
  ['Realbyte Money Manager', 'samples in public importers', 'Period|Accounts|Category|Subcategory|Note|USD|Income/Expense|Description|Amount|Currency|Accounts', null, { date: 'Period', account: '2', amount: 'Amount', type: 'Income/Expense' }, {}],
  ['1Money', 'samples in public importers', 'DATE|TYPE|FROM ACCOUNT|TO ACCOUNT / TO CATEGORY|AMOUNT|CURRENCY|AMOUNT 2|CURRENCY 2|TAGS|NOTES', null, { account: 'FROM ACCOUNT', to_account: 'TO ACCOUNT / TO CATEGORY', category: 'TO ACCOUNT / TO CATEGORY' }, {}],
]

/** The columns of the first CSV export: later ones have more. */
export const firstOwnColumns = 8

/** The service's own export, of today and before: a column has the field of its name, and nothing else. */
const ownLines = csvHeaders.slice(firstOwnColumns - 1).map((_, more): Line => {
  const headers = csvHeaders.slice(0, firstOwnColumns + more)
  const columns = csvFields.map((field) => [field, headers.includes(field) ? field : ''])
  return ['Purse', 'docs/export.md', headers.join('|'), null, Object.fromEntries(columns), {}]
})

const layouts = new Map<string, Layout>()

/** The layout with exactly these headers, in this order; or that of Firefly III, with its columns among others. */
export function layoutOf(headers: Header[]): Layout | null {
  if (layouts.size === 0)
    for (const [name, , row, signs, columns = {}, app = null] of [...lines, ...ownLines])
      layouts.set(keyOf(headersOf(row.split('|'))), { name, columns, signs, app })
  const texts = new Set(headers.map(({ text }) => text))
  return layouts.get(keyOf(headers)) ?? (fireflyColumns.every((name) => texts.has(name)) ? firefly : null)
}

const keyOf = (headers: Header[]) =>
  headers
    .map(({ name }) => name)
    .join('|')
    .replace(/\|+$/, '')
