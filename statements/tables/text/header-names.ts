import { csvHeaders, exportedTexts, type TransactionText } from '../../../src/domain/transaction-fields.ts'
import { foldHeader } from './fold-header.ts'

/** The names in a list, split at its bars and line ends. Those in Latin letters are written as they are folded. */
const list = (text: string) =>
  text
    .trim()
    .split(/\s*[|\n]\s*/)
    .map((name) => (/[^\0-\x7f]/.test(name) ? foldHeader(name) : name))

/** The headers of columns of marks that name both debits and credits. */
export const pairsOfMarks = list(`
    debit credit|credit debit|d c|c d|dc|cd|dr cr|cr dr|drcr|crdr|debit credit indicator|credit debit indicator|debit or credit
    soll haben|haben soll|s h|h s|sh|soll haben kennzeichen|debe haber|dare avere|d h|d a
    af bij|bij af|debet credit|kredit debet|debet kredit|debit kredit|debit credit flag|cr dr indicator|inflow outflow|in out|income outcome|bevetel kiadas|wn ma|dc kennzeichen|creditdebet|debetcredit|credit debet|d k|k d
    deebet kreedit d c|debets kredits|debetas kreditas|debit credit d c|收支`)

/** The headers of columns that say for each amount whether it is a debit or a credit. */
export const markNames = [
  ...pairsOfMarks,
  ...list('sign|direction|vorzeichen|richtung|sens|signe|amount type|smer uhrady'),
]

/** The headers of dates of the transaction, and of value dates. */
export const otherDates = list(`
    transaction date|дата операции|дата совершения операции|transaction date utc|trans date|tran date|txn date|date of transaction|transactiondate|transaktionsdatum|umsatzdatum|abschlussdatum|abschlusstag|belegdatum|kaufdatum|date transaction|date de transaction|date de la transaction|date d achat|data transazione|data da transacao|data transacao|transactiedatum|datum transactie|datum verrichting|transaktionsdag|transaktionsdato|datum transakce|datum provedeni|tranzakcio datuma|islem tarihi|利用日|交易日期|交易日|trans time|transaction time|交易时间
    value date|val date|valuta|valutadatum|valuta datum|datum valuta|wertstellung|wertstellungstag|wertstellungsdatum|wertstellung valuta|valeur|date valeur|date de valeur|dateval|fecha valor|fecha de valor|f valor|data valor|data valuta|data di valuta|rentedatum|valutadag|data waluty|rentedato|arvopaiva|valorja|erteknap|дата платежа`)

/**
 * The headers that banks use, folded (`foldHeader`). If a table has several for one field, the one listed first is meant
 * (but for those of which all are used, columns.ts): a booking date before a value date, what moved on the account before
 * an amount in a foreign currency.
 */
export const headerNames = {
  date: [
    // Booking dates.
    ...list(`
      booking date|date completed utc|completion date|completed on|datum und uhrzeit|交易成功时间|posting date|posted date|post date|date posted|posted on|booked at|clearing date|posted|date booked|booked date|book date|booked|process date|processed date|date processed|completed date|date completed|date entered|entry date|ledger date|accounting date
      buchungstag|buchungsdatum|buchung datum|buchung|gebucht am|datum buchung
      date comptable|date d execution|date de comptabilisation|date comptabilisation|date d operation|date de l operation|date operation|date de operation|date op|dateop
      fecha contable|fecha ctble|f contable|fecha operacion|fecha de operacion|fecha de la operacion|f operacion|fecha oper|fecha movimiento|fecha del movimiento|fecha mov|fecha de transaccion|fecha transaccion
      data mov|data lanc|data movimento|data do movimento|data do mov|data lancamento|data de lancamento|data do lancamento|data contabilistica|data operacao|data da operacao
      data contabile|data registrazione|data contabilizzazione|data operazione|data di operazione
      boekdatum|boekingsdatum|datum boeking|datum verrekening|uitvoeringsdatum|datum uitvoering
      reskontradatum|data inregistrare|data inregistrarii|data ksiegowania|data rozliczenia|data zaksiegowania|data operacji|data transakcji|bokforingsdag|bokford|bokforingsdatum|bokfort|bokforingsdato|bogforingsdato|bogfort|bokfort dato|kirjauspaiva|datum zauctovani|zauctovano|konyveles datuma|data tranzactiei|posted transactions date|дата обработки|дата обработки операции|дата проводки|completion time|release date|datum zauctovania|datum zpracovani|datum odepsani|konyveles napja|datum knjizenja|fecha posteo`),
    // Dates without a stated meaning.
    ...list(`
      date|datum|date utc|date yyyy mm dd as utc|dates|period|date started utc|timestamp|timestamp utc|transaction date time|date of operation|วันที่|วันที่ทำรายการ|תאריך|ημερομηνια|交易创建时间|fecha|data|dato|tapahtumapaiva|maksupaiva|paivamaara|reskontradag|datetime|date time|date and time|created|created at|created on|created date|started date|effective date|run date|date of payment|datum splatnosti|dato og tid|datums|kuupaev|tanggal|tanggal transaksi|tarih|дата|日付|取引日|年月日|年月日和暦|取り引き日|取扱日付|日期|帳務日期|거래일시|거래일자|거래일|일시|일자|이용일자|승인일자|승인일시|승인일|датум|tarix|sana|огноо|гүйлгээний огноо|თარიღი|التاريخ|تاریخ`),
    ...otherDates,
  ],
  amount: list(`
    gross|brutto|gross amount|bruttobetrag|payment amount|txn amount funding card|amt|实付|交易|入账|transaction value|amount in account currency|amount account currency|booked amount|billing amount
    amount|transaction amount|credit debit amount|debit credit amount|value|sum
    buchungsbetrag|betrag|umsatz|umsatzbetrag|betrag in kontowahrung
    montant|montant de l operation|montant operation|montant en devise du compte
    importe|importe operacion|importe de la operacion|importe movimiento|monto|cantidad
    belob|valor|montante|montante da operacao|valor da operacao|quantia
    importo|importo operazione|bedrag|transactiebedrag|bedrag transactie
    kwota|kwota operacji|kwota transakcji|kwota w walucie rachunku|kwota transakcji waluta rachunku|kwota zaksiegowana
    belopp|belop|summa|maara|osszeg|tranzakcio osszege|castka|zauctovana castka|suma|จำนวนเงิน|סכום|סכום העסקה|ποσο
    maara euroa|objem|castka v mene uctu|local currency amount|jumlah|tutar|işlem tutarı|сумма в валюте счета|сумма пересчитанная в валюту счета|сумма платежа|сумма операции|сумма|金额|金額|入出金|利用|人民币|订单|금액|거래|이용|iznos|износ|shuma|məbləğ|дүн|თანხა|المبلغ|مبلغ|upphædd|monto transaccion`),
  debit: list(`
    debit|debits|debit amount|amount debit|debit amt|withdrawal|withdrawals|withdrawal amount|withdrawal amt|paid out|money out|funds out|amount out|out|outflow|spent|payments|expense|expenses
    soll|sollbetrag|soll betrag|belastung|belastungen|lastschrift|lastschriften|ausgabe|ausgaben|ausgang|betrag soll|umsatz soll
    montant debit|debit montant|depense|depenses|sortie|sorties|montant au debit
    debe|cargo|cargos|retiro|retiros|gasto|gastos|importe debe|importe cargo
    debito|debitos|valor debito|valor a debito|saida|saidas
    dare|addebito|addebiti|uscita|uscite|importo addebito|importo dare|importo in uscita
    debet|uitgave|uitgaven|afschrijving|afschrijvingen|af|uit|bedrag af
    obciazenie|obciazenia|wydatek|wydatki|wyplata|wyplaty|kwota obciazenia|wn
    sent|withdrawn|dr|ut fra konto|ut|uttag|ud|na vrub|suma debit|debets|vydaje|ถอนเงิน|ถอน|חובה|χρεωση|расход|разход|списание|出金|支払い|支払|払出|引出し|引出|引き出し|支出|记账金额支出|提出|提款|提|출금|찾으신|v breme|breme|isplata|duguje|долгува|debi|məxaric|chiqim|дебит гүйлгээ|გასული თანხა|مدين|برداشت|debito de transaccion`),
  credit: list(`
    credit|credits|credit amount|amount credit|credit amt|deposit|deposits|deposit amount|deposit amt|paid in|money in|funds in|amount in|in|inflow|received|receipts|income
    haben|habenbetrag|haben betrag|gutschrift|gutschriften|einnahme|einnahmen|eingang|betrag haben|umsatz haben
    montant credit|credit montant|recette|recettes|entree|entrees|montant au credit
    haber|abono|abonos|ingreso|ingresos|deposito|depositos|importe haber|importe abono
    credito|creditos|valor credito|valor a credito|entrada|entradas
    avere|accredito|accrediti|entrata|entrate|importo accredito|importo avere|importo in entrata
    inkomst|inkomsten|bijschrijving|bijschrijvingen|bij|bedrag bij
    uznanie|uznania|wplyw|wplywy|wplata|wplaty|kwota uznania|ma
    cr|inn pa konto|inn|ind|suma credit|kredits|kredit|kredity|insattning|ve prospech|prijmy|ฝากเงิน|ฝาก|זכות|πιστωση|приход|поступление|зачисление|入金|預かり|預り|受入|預入れ|預入|預け入れ|收入|记账金额收入|存入|存款|存|입금|맡기신|v dobro|dobro|uplata|potrazuje|побарува|kredi|mədaxil|kirim|кредит гүйлгээ|შემოსული თანხა|دائن|واریز|credito de transaccion`),
  type: [
    ...markNames,
    ...list(
      'type|transaction type|typ|tipo|details|code|income expense|transaction category type|operation type|交易类型|类型|тип',
    ),
  ],
  account: list(`
    account|account name|accounts|wallet|from account|source account|账户|账户1|account iban|iban auftragskonto|auftragskonto|iban auftraggeberkonto|auftraggeberkonto|iban kontoinhaber|iban bban|rekening|rekeningnummer|accountnum|account number|account no|account id|account iban|own account|konto|kontonummer|eigenes konto|compte|numero de compte|cuenta|numero de cuenta|conto|conta|rachunek|numer rachunku
    posted account|client account|customer account no|kliendi konto|klienta konts|cislo uctu`),
  product: list(`
    product|product name|produkt|produit|producto|prodotto|produto|sub account|subaccount|unterkonto|pocket|vault|bank account|card account|account type|account label|kontobezeichnung`),
  to_account: list(`
    to account|to account name|transfer account|transfer to|destination account|target account|zielkonto|compte destination|cuenta destino|conto destinazione|naar rekening|账户2|to account to category`),
  category: list(`
    category|category name|categories|子类别|to account to category|kategorie|categorie|categoria|kategoria`),
  description: list(`
    description|full description|transaction description|details|transaction details|narrative|narration|memo|particulars|remarks|remark|notes|note|message|remittance information|payment details|payment reference|payment purpose|booking text|description 1|description 2|description1|description2|description3|sub description|memo description|narrative 1|notes and tags|comment|comments|label|title|original description|text
    verwendungszweck|vwz|beschreibung1|beschreibung2|beschreibung3|avisierungstext|buchungstext verwendungszweck|vorgang verwendungszweck|buchungsdetails|buchungsinformation|umsatztext|beschreibung|zahlungsgrund|notiz|betreff|mitteilung|zahlungsreferenz
    libelle|libelles|libelle complet operation|libelle operation|libelle de l operation|libelle simplifie|detail|detail de l ecriture|detail 1|detail 2|communication|communications|motif|informations complementaires|nature de l operation|details du mouvement|details de l operation
    concepto|descripcion|descripcion operacion|observaciones|detalle|concepto ampliado|mas datos
    descricao|descritivo|historico|lancamento|descricao do movimento|descrizione|causale|descrizione operazione|descrizione operazioni|descrizione estesa|descrizione completa|dettagli|operazione
    omschrijving|omschrijving 1|omschrijving 2|omschrijving 3|mededeling|toelichting|mededelingen|vrije mededeling|gestructureerde mededeling|transactie|naam omschrijving
    opis|opis operacji|opis transakcji|tytul|tytul operacji|tytulem|szczegoly|szczegoly transakcji|tekst|beskrivning|specifikation|transaktion|transaktionsbeschreibung|beskrivelse|forklaring|kozlemeny|popis|zprava|zprava pro prijemce|viesti|rubrik|popis transakce|nature|movimiento|purpose|purpose of payment|buchungs info|selite|descriere|paskirtis
    reason|poznamka|uzivatelska identifikace|popis pohybu|popis operace|popis pro prijemce|popis prikazce|systemovy popis|ucel platby|informacia pre prijemcu|descrierea tranzactiei|detalii tranzactie|tittel|otsikko|selgitus|informacija sanemejam|mokejimo paskirtis|keterangan|acıklama|transaction remarks|รายการ|รายละเอียด|תיאור|תאור|פרטים|περιγραφη|αιτιολογια|описание|订单标题|交易说明|交易摘要|备注|описание операции|摘要内容|取り扱い内容|取引内容|入出金内容|摘要|内容|商品说明|商品|說明|적요|내용
    namen|опис|përshkrimi|təyinat|operatsiya|гүйлгээний утга|დანიშნულება|الوصف|تفاصيل العملية|شرح|descrierea|tekstur|descripcion de transaccion`),
  payee: list(`
    payee|name|merchant|merchant name|counterparty|counterparty name|counter party|partner name|partner|beneficiary|beneficiary name|recipient|paid to|from to|activity name|source destination
    beguenstigter zahlungspflichtiger|auftraggeber empfanger|empfanger auftraggeber|auftraggeber begunstigter|begunstigter auftraggeber|sender empfanger|empfanger auftraggeber name|name des auftraggebers|zahlungsempfanger|zahlungsempfanger in|zahlungspflichtige r|name zahlungsbeteiligter|empfanger zahlungspflichtiger|empfanger|empfaenger|name gegenkonto|gegenkonto name|begunstigter|auftraggeber|handler|handelaar|partnername|name des partners
    tiers|nom|nom contrepartie|nom de la contrepartie|contrepartie|beneficiaire|beneficiario|ordenante|beneficiario ordenante|comercio|nombre|nome|destinatario|ordinante|controparte|favorecido
    naam|naam tegenpartij|naam tegenpartij bevat|naam van de tegenpartij|tegenrekeninghouder|naam tegenrekeninghouder|odbiorca zleceniodawca|tegenpartij|naam tegenrekening|nadawca odbiorca|odbiorca nadawca|kontrahent|dane kontrahenta|nazwa kontrahenta|nazwa odbiorcy|nazwa nadawcy|nadawca|odbiorca
    to from|name of sender receiver|sender receiver name|nazev protiuctu|nazev protistrany|protistrana|namn|ordenante beneficiario|jmeno protistrany|nazov protiuctu|partner neve|nume denumire ordonator beneficiar|navn|nimi|saaja maksaja|saajan nimi|saaja maksja nimi|sanemejs maksatajs|moketojo arba gavejo pavadinimas|gavejas|gavejas moketojas|moketojas gavejas|partner elnevezese|nazev obchodnika|origem destino|destinatario origem|beneficiary payer|交易对方|商户名称|对方户名|取引先|가맹점명|가맹점|사용처|from name|to name|naziv|naziv prejemnika placnika|primatelj|platitelj`),
  posting_text: list(`
    kind|action|buchungstext|vorgang|umsatzart|umsatztyp|buchungsart|type|transaction type|type operation|type de transaction|type d operation|tipo|tipo de movimiento|tipo movimiento|movimiento|tipo operazione|tipo de transacao|mutatiesoort|transactiesoort|typ transakcji|typ operacji|rodzaj|rodzaj operacji|rodzaj transakcji
    oznaceni operace|typ uhrady|betalingstype|laji|selitys|tapahtuma|tapahtumalaji|tipus|交易分类`),
  reference: list(`
    transaction id|transaction number|transaction no|transaction reference|transaction reference number|transaction ref|bank reference|fitid|unique id|operation number|transfer wise id|transferwise id|transaktions nr|trans id|arkistointitunnus|id|reference number|reference no|reference id|reference|ref|ref no|chq ref number|chq ref no|cheque ref no|check number|cheque number|check no|check or slip|num
    transaktionscode|transaktions id|transaktionsnummer|transaktionsreferenz|buchungsreferenz|referenz|referenznummer|umsatz id|zkb referenz
    reference de l operation|reference operation|numero d operation|numero operation|numero de operacion|referencia|referencia 1|n operacion|numero de documento|numero documento|documento|docto|identificador|n documento
    id transazione|riferimento|riferimento operazione|cro|transactiereferentie|transactie id|volgnr|volgnummer|referentie|kenmerk
    numer transakcji|nr transakcji|id transakcji|numer referencyjny|nr referencyjny|numer operacji
    เลขที่อ้างอิง|אסמכתא|交易订单号|交易单号|receipt no|archiving code|arhiveerimistunnus|arhiva kods|id pohybu|id transakce|referencni cislo|referinta tranzactiei|operation id|verifikationsnummer|referencia de transaccion`),
  balance: list(`
    balance|running balance|account balance|balance after|balance after transaction|closing balance|ledger balance|current balance|running bal
    saldo|saldo nach buchung|bokfort saldo|bokat saldo|zustatek uctu|zustatek po transakci|saldo nach umsatz|bokat saldo|zustatek|egyenleg|sold|kontostand|kontostand nach buchung|neuer saldo|solde|solde apres operation|solde comptable|saldo contable|saldo disponible|saldo contabilistico|saldo contabile|saldo progressivo|saldo na mutatie|endsaldo|eindsaldo|saldo na trn|saldo na boeking|saldo po operacji|saldo po transakcji|saldo koncowe|guthaben|disponible
    bal|bal after|balance after trans|partial balance|zustatek na uctu|zustatek uctu|zustatek po transakci|zostatok|sold contabil|likutis|atlikums|stanje|залишок|jaak|ยอดคงเหลือ|יתרה|υπολοιπο|bakiye|остаток|残高|差引残高|差し引き残高|取引後残高|現在貸付高|余额|账户余额|本次余额|餘額|即時餘額|結餘|잔액|거래후잔액|салдо|gjendja|qalıq|qoldiq|эцсийн үлдэгдэл|ნაშთი|الرصيد|مانده|saldo total|balance de transaccion`),
  net: list(`
    net|net amount|netto|nettobetrag|montant net|total amount|amount total|transaction net amount|net value|total inc fee`),
  counter_account: list(`
    partner iban|counterparty account|counter party account|counterparty iban|beneficiary account|payee account number|payee account|recipient account|recipient iban|sender receiver account|sender account|payer account|other account|other party account|to account number|from account number|iban of counterparty|account receiving|bank account details|counterparty
    gegenkonto|gegenkonto iban|iban gegenkonto|kontonummer iban|iban zahlungsbeteiligter|iban konto nr|number|iban zahlungspflichtiger|kontonummer iban des beguenstigten zahlungspflichtigen|iban kontonummer|empfanger iban|empfangerkonto|konto nr des empfangers|iban auftraggeber empfanger
    compte contrepartie|compte de la contrepartie|iban beneficiaire|iban contrepartie|compte beneficiaire|cuenta contraparte|cuenta beneficiario|iban beneficiario|iban ordinante|iban controparte|conta contraparte
    tegenrekening|tegenrekening iban bban|tegenrekeningnummer|rekening tegenpartij|rekeningnummer tegenpartij|iban tegenpartij|numer rachunku nadawcy|numer rachunku odbiorcy|nr rachunku|numer konta|rachunek kontrahenta|na konto z konta
    cislo protiuctu|protiucet|cislo uctu protistrany|cislo uctu protiuctu|ucet protistrany|protiucet iban|partner szamlaszama|avsandare|mottagare|afsender|modtager|avsender|mottaker|til konto|fra konto|saajan tilinumero|saaja maksja konto|sanemeja maksataja konts|saskaita|saaja maksajan tilinumero|계좌번호|对方账号|对方账户`),
  foreign_currency: list(`
    original currency|orig currency|foreign currency|local currency|currency of purchase|transaction currency|txn currency foreign spend|exchange from|exchange to|fee currency|currency 2|purchase currency|spend currency|merchant currency|original ccy|source currency|target currency|fremdwahrung|originalwahrung|devise d origine|divisa original|valuta originale|oorspr munt|waluta oryginalna|waluta operacji|puvodni mena|交易货币|foreign currency type|original currency code`),
  impact: list('balance impact|impact'),
  currency: list(`
    currency|currency code|curr|valutacode|valuta rekening|devies|devise du compte|ccy|account currency|wahrung|waehrung|kontowahrung|devise|divisa|monnaie|moneda|moeda|munt|muntsoort|valuta code|waluta|waluta rachunku|mena|mena uctu|devizanem|valuuta|buchungswahrung
    txn currency funding card|payment currency|valuta|valiuta|posted currency|валюта счета|валюта платежа|валюта операции|валюта`),
  status: list(`
    split transaction|status|state|transaction status|umsatzstatus|buchungsstatus|statut|etat|estado|estado operacion|stato|stan|status transakcji
    статус|交易状态`),
  fee: list(`
    fee|fees|commission|commissions|commissioni|tip|amount fee|total fees|transaction fee|fee amount|gebuhr|gebuhren|gebuehr|gebuehren|entgelt|spesen|frais|comision|commissione|kosten|prowizja|oplata
    teenustasu|poplatek v mene uctu|poplatek|poplatky|avgift|avgifter|comisiones|comissao|comissoes|tarifa|tarifas|taxa|taxas|provize|dij|jutalek|provizija|gebyr|kulut|spese|kosten bedrag`),
}

/** The headers that the documentation of tables of one's own names. */
export const documentedHeaders = new Set([...csvHeaders, 'debit', 'credit'])

/** The texts that only the service's own export has columns for. */
export const ownTexts = exportedTexts.filter((name) => !(name in headerNames))

/** What a column can hold. */
export type CsvField = keyof typeof headerNames | TransactionText
export const csvFields = [...Object.keys(headerNames), ...ownTexts] as CsvField[]
/** The fields of amounts. */
export const moneyFields = ['amount', 'debit', 'credit'] as const
