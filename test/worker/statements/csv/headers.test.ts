import { expect, test } from 'vitest'
import { errorsOf, read, sumOf } from '../corpus.ts'

/** Exports of banks in miniature, with invented rows: name, number of entries, their sum, and the file. */
const shapes: [string, number, number, string][] = [
  [
    'n26',
    2,
    98750,
    `"Booking Date","Value Date","Partner Name","Partner Iban",Type,"Payment Reference","Account Name","Amount (EUR)","Original Amount","Original Currency","Exchange Rate"\n2026-01-02,2026-01-02,"REWE",,Presentment,-,"Main Account",-12.50,-12.50,EUR,1\n2026-01-03,2026-01-03,"ACME",DE89,"Credit Transfer",Salary,"Main Account",1000.0,,,\n`,
  ],
  [
    'monzo',
    2,
    200,
    `Transaction ID,Date,Time,Type,Name,Emoji,Category,Amount,Currency,Local amount,Local currency,Notes and #tags,Address,Receipt,Description,Category split,Money Out,Money In\ntx_1,31/01/2026,10:00:00,Card payment,Tesco,,Groceries,-5.00,GBP,-5.00,GBP,,,,TESCO 123,,-5.00,\ntx_2,30/01/2026,10:00:00,Faster payment,Bob,,General,7.00,GBP,7.00,GBP,,,,BOB,,,7.00\n`,
  ],
  [
    'starling',
    1,
    -500,
    `Date,Counter Party,Reference,Type,Amount (GBP),Balance (GBP),Spending Category,Notes\n31/01/2026,Shop,REF,CHIP & PIN,-5.00,95.00,SHOPPING,\n`,
  ],
  [
    'wise',
    1,
    -500,
    `"TransferWise ID",Date,Amount,Currency,Description,"Payment Reference","Running Balance","Exchange From","Exchange To","Exchange Rate","Payer Name","Payee Name","Payee Account Number",Merchant,"Card Last Four Digits","Card Holder Full Name",Attachment,Note,"Total fees"\nCARD-1,31-01-2026,-5.00,EUR,"Card transaction",,95.00,,,,,,,Shop,1,,,,0.00\n`,
  ],
  [
    'lloyds',
    2,
    9500,
    `Transaction Date,Transaction Type,Sort Code,Account Number,Transaction Description,Debit Amount,Credit Amount,Balance\n31/01/2026,DEB,'11-22-33,12345678,SHOP,5.00,,95.00\n30/01/2026,FPI,'11-22-33,12345678,BOB,,100.00,100.00\n`,
  ],
  [
    'nationwide',
    2,
    9500,
    `"Account Name:","Current ****12345"\n"Account Balance:","£95.00"\n"Available Balance: ","£95.00"\n\n"Date","Transaction type","Description","Paid out","Paid in","Balance"\n"30 Jan 2026","Bank credit","Bob","","£100.00","£100.00"\n"31 Jan 2026","Visa purchase","Shop","£5.00","","£95.00"\n`,
  ],
  [
    'barclays',
    1,
    -500,
    `Number,Date,Account,Amount,Subcategory,Memo\n,31/01/2026,20-00-00 12345678,-5.00,PAYMENT,SHOP  \n`,
  ],
  [
    'natwest',
    1,
    -500,
    `Date, Type, Description, Value, Balance, Account Name, Account Number\n31 Jan 2026,D/D,"'SHOP",-5.00,95.00,"'ME","'602-1"\n`,
  ],
  [
    'capitalone',
    2,
    4500,
    `Transaction Date,Posted Date,Card No.,Description,Category,Debit,Credit\n2026-01-30,2026-01-31,1234,SHOP,Food,5.00,\n2026-01-30,2026-01-31,1234,PAYMENT,Pay,,50.00\n`,
  ],
  [
    'schwab',
    1,
    -500,
    `"Date","Status","Type","CheckNumber","Description","Withdrawal","Deposit","RunningBalance"\n"01/31/2026","Posted","VISA","","SHOP","$5.00","","$95.00"\n"01/31/2026","Pending","VISA","","SHOP2","$6.00","",""\n`,
  ],
  [
    'westpac',
    1,
    -500,
    `Bank Account,Date,Narrative,Debit Amount,Credit Amount,Balance,Categories,Serial\n12345,31/01/2026,SHOP,5.00,,95.00,PAY,\n`,
  ],
  [
    'ingau',
    2,
    9500,
    `Date,Description,Credit,Debit,Balance\n31/01/2026,SHOP,,-5.00,95.00\n30/01/2026,PAY,100.00,,100.00\n`,
  ],
  [
    'nab',
    1,
    -500,
    `Date,Amount,Account Number,,Transaction Type,Transaction Details,Balance,Category,Merchant Name\n31 Jan 26,-5.00,123456,,EFTPOS,SHOP,95.00,Food,Shop\n`,
  ],
  [
    'kiwibank',
    2,
    9500,
    `Account number,Date,Memo/Description,Source Code (payment type),TP ref,TP part,TP code,OP ref,OP part,OP code,OP name,OP Bank Account Number,Amount (credit),Amount (debit),Amount,Balance\n38-1,31-01-2026,SHOP,POS,,,,,,,,,,5.00,-5.00,95.00\n38-1,30-01-2026,PAY,DC,,,,,,,,,100.00,,100.00,100.00\n`,
  ],
  [
    'deutsche',
    2,
    9500,
    `Umsätze Girokonto;;;Kundennummer: 123 1234567\n01.01.2026 - 31.01.2026\nLetzter Kontostand;;;;100,00;EUR\nVorgemerkte und noch nicht gebuchte Umsätze sind nicht Bestandteil dieser Übersicht.\nBuchungstag;Wert;Umsatzart;Begünstigter / Auftraggeber;Verwendungszweck;IBAN;BIC;Kundenreferenz;Mandatsreferenz ;Gläubiger ID;Fremde Gebühren;Betrag;Abweichender Empfänger;Anzahl der Aufträge;Anzahl der Schecks;Soll;Haben;Währung\n31.01.2026;31.01.2026;SEPA-Lastschrift;Shop;Rechnung;DE1;X;;M1;G1;;;;1;;-5,00;;EUR\n30.01.2026;30.01.2026;SEPA-Gutschrift;Bob;Danke;DE2;X;;;;;;;;;;100,00;EUR\nKontostand;31.01.2026;;;195,00;EUR\n`,
  ],
  [
    'postbank',
    1,
    -500,
    `Buchungsdatum;Wertstellung;Umsatzart;Buchungsdetails;Auftraggeber;Empfänger;Betrag (€);Saldo (€)\n31.01.2026;31.01.2026;Lastschrift;Ref 1;Me;Shop;-5,00 €;95,00 €\n`,
  ],
  [
    'consors',
    1,
    -500,
    `Buchung;Valuta;Sender / Empfänger;IBAN / Konto-Nr.;BIC / BLZ;Buchungstext;Verwendungszweck;Kategorie;Stichwörter;Umsatz geteilt;Betrag in EUR\n31.01.2026;31.01.2026;Shop;DE1;X;LASTSCHRIFT;Rechnung;;;;-5,00\n`,
  ],
  [
    'ubs',
    1,
    -500,
    `Kontonummer:;0234 00103914.40;\nIBAN:;CH93 0076 2011 6238 5295 7;\nVon:;2026-01-01;\nBis:;2026-01-31;\nAnfangssaldo:;100.00;\nSchlusssaldo:;95.00;\nBewertet in:;CHF;\nAnzahl Transaktionen in diesem Zeitraum:;1;\n\nAbschlussdatum;Abschlusszeit;Buchungsdatum;Valutadatum;Währung;Belastung;Gutschrift;Einzelbetrag;Saldo;Transaktions-Nr.;Beschreibung1;Beschreibung2;Beschreibung3;Fussnoten;\n2026-01-31;;2026-01-31;2026-01-31;CHF;-5.00;;;95.00;T1;"Shop AG";"Karte";"Ref";;\n`,
  ],
  [
    'postfinance',
    2,
    9500,
    `Datum von:;="2026-01-01"\nDatum bis:;="2026-01-31"\nBuchungsart:;="Alle Buchungen"\nKonto:;="CH9300762011623852957"\nWährung:;="CHF"\n\nDatum;Bewegungstyp;Avisierungstext;Gutschrift in CHF;Lastschrift in CHF;Label;Kategorie\n\n31.01.2026;Buchung;"SHOP ZÜRICH";;-5;;Einkauf\n30.01.2026;Gutschrift;"LOHN";100;;;Lohn\n\nDisclaimer:\nDer Dokumentinhalt wurde durch Filtereinstellungen der Kund:innen generiert.\n`,
  ],
  [
    'raiffch',
    1,
    -500,
    `IBAN;Booked At;Text;Credit/Debit Amount;Balance;Valuta Date\nCH93;2026-01-31 00:00:00.0;Shop;-5;95;2026-01-31 00:00:00.0\n;;detail line;;;\n`,
  ],
  [
    'zkb',
    1,
    -1500,
    `"Date";"Booking text";"Curr";"Amount details";"ZKB reference";"Reference number";"Debit CHF";"Credit CHF";"Value date";"Balance CHF";"Payment purpose"\n"31.01.2026";"Debit eBanking (2)";"";"";"Z1";"";"15.00";"";"31.01.2026";"85.00";""\n"";"Shop A";"CHF";"5.00";"";"";"";"";"";"";"Ref"\n"";"Shop B";"CHF";"10.00";"";"";"";"";"";"";""\n`,
  ],
  [
    'socgen',
    2,
    9500,
    `="0123456789";31/01/2026;2;31/01/2026;195,00 EUR\n\ndate_comptabilisation;libellé_complet_operation;montant_operation;devise;\n31/01/2026;CARTE X123 SHOP;-5,00;EUR;\n30/01/2026;VIR BOB;100,00;EUR;\n`,
  ],
  [
    'laposte',
    1,
    -500,
    `Numéro Compte   :;0123456A033\nType         :;CCP\nCompte tenu en  :;euros\nDate            :;31/01/2026\nSolde (EUROS)   :;95,00\nSolde (FRANCS)  :;623,16\n\nDate;Libellé;Montant(EUROS);Montant(FRANCS)\n31/01/2026;"CARTE SHOP";-5,00;-32,80\n`,
  ],
  [
    'caisse',
    2,
    9500,
    `Date de comptabilisation;Libelle simplifie;Libelle operation;Reference;Informations complementaires;Type operation;Categorie;Sous categorie;Debit;Credit;Date operation;Date de valeur;Pointage operation\n31/01/2026;SHOP;CB SHOP FACT 300126;ABC123;;Carte bancaire;Alimentation;Courses;-5,00;;30/01/2026;31/01/2026;0\n30/01/2026;BOB;VIR BOB;ABC124;;Virement recu;Revenus;Autres;;+100,00;30/01/2026;30/01/2026;0\n`,
  ],
  [
    'bbva',
    1,
    -500,
    `F.Valor;Fecha;Concepto;Movimiento;Importe;Divisa;Disponible;Divisa;Observaciones\n30/01/2026;31/01/2026;Shop;Pago con tarjeta;-5,00;EUR;95,00;EUR;4940 SHOP\n`,
  ],
  ['caixa', 1, -500, `Concepto;Fecha;Importe;Saldo\nSHOP;31/01/2026;-5,00EUR;95,00EUR\n`],
  [
    'knab',
    2,
    9500,
    `KNAB EXPORT;;;;;;;;;;;;;;;;\nRekeningnummer;Transactiedatum;Valutacode;CreditDebet;Bedrag;Tegenrekeningnummer;Tegenrekeninghouder;Valutadatum;Betaalwijze;Omschrijving;Type betaling;Machtigingsnummer;Incassant ID;Adres;Referentie;Boekdatum;\n"NL77KNAB";"31-01-2026";"EUR";"D";"5,00";"NL1";"Shop";"31-01-2026";"Betaalautomaat";"boodschappen";"";"";"";"";"B6A31";"31-01-2026";\n"NL77KNAB";"30-01-2026";"EUR";"C";"100,00";"NL2";"Bob";"30-01-2026";"Ontvangst";"hoi";"";"";"";"";"B6A30";"30-01-2026";\n`,
  ],
  [
    'belfius',
    1,
    -500,
    `Boekingsdatum vanaf;01/01/2026\nBoekingsdatum tot en met;31/01/2026\nBedrag vanaf;\nBedrag tot;\nLaatste saldo;95,00 EUR\n;\nRekening;Boekingsdatum;Rekeninguittrekselnummer;Transactienummer;Rekening tegenpartij;Naam tegenpartij bevat;Straat en nummer;Postcode en plaats;Transactie;Valutadatum;Bedrag;Devies;BIC;Landcode;Mededelingen\nBE11;31/01/2026;1;2;BE22;Shop;;;AANKOOP SHOP;31/01/2026;-5,00;EUR;GKCC;BE;\n`,
  ],
  [
    'fortisfr',
    1,
    -500,
    `Nº de séquence;Date d'exécution;Date valeur;Montant;Devise du compte;Numéro de compte;Type de transaction;Contrepartie;Nom de la contrepartie;Communication;Détails;Statut;Motif du refus\n2026-0001;31/01/2026;31/01/2026;-5,00;EUR;BE11;Paiement par carte;;;;SHOP BRUXELLES;Accepté;\n`,
  ],
  [
    'ingpl',
    1,
    -500,
    `"Lista transakcji"\n"Dokument nr 0001 z dnia 31.01.2026"\n;;"ING Bank Śląski S.A."\n\n"Data transakcji";"Data księgowania";"Dane kontrahenta";"Tytuł";"Nr rachunku";"Nazwa banku";"Szczegóły";"Nr transakcji";"Kwota transakcji (waluta rachunku)";"Waluta";"Kwota blokady/zwolnienie blokady";"Waluta";"Kwota płatności w walucie";"Waluta";"Konto";"Saldo po transakcji";"Waluta";;;;\n2026-01-31;;"SHOP PENDING";"Płatność";"";"";"";"";;;-9,00;PLN;;;"Konto Direct";;;;;;\n2026-01-30;2026-01-31;"SHOP";"Płatność kartą";"";"";"TR.KART";'201';-5,00;PLN;;;;;"Konto Direct";95,00;PLN;;;;\n"Dokument ma charakter informacyjny, nie stanowi dowodu księgowego";;;;;;\n`,
  ],
  [
    'millpl',
    2,
    9500,
    `"Numer rachunku/karty","Data transakcji","Data rozliczenia","Rodzaj transakcji","Na konto/Z konta","Odbiorca/Zleceniodawca","Opis","Obciążenia","Uznania","Saldo","Waluta"\n"PL11","2026-01-30","2026-01-31","PŁATNOŚĆ","","","SHOP","-5.00","","95.00","PLN"\n"PL11","2026-01-29","2026-01-29","PRZELEW","","BOB","HEJ","","100.00","100.00","PLN"\n`,
  ],
  [
    'danske',
    1,
    -500,
    `"Dato";"Kategori";"Underkategori";"Tekst";"Beløb";"Saldo";"Status";"Afstemt"\n"31.01.2026";"Mad";"Mad";"Shop";"-5,00";"95,00";"Udført";"Nej"\n`,
  ],
  [
    'paypal',
    2,
    9500,
    `"Date","Time","TimeZone","Name","Type","Status","Currency","Gross","Fee","Net","From Email Address","To Email Address","Transaction ID","Balance"\n"31/01/2026","10:00:00","GMT","Shop","Payment","Completed","GBP","-5.00","0.00","-5.00","a","b","T1","95.00"\n"30/01/2026","10:00:00","GMT","Bob","Payment","Completed","GBP","104.00","-4.00","100.00","b","a","T0","100.00"\n`,
  ],
  [
    'bradesco',
    1,
    -500,
    `;Extrato de: Ag: 123 | Conta: 456-7 | Entre 01/01/2026 e 31/01/2026;;;;;\nData;Histórico;Docto.;Crédito (R$);Débito (R$);Saldo (R$);\n01/01/2026;SALDO ANTERIOR;;;;100,00;\n31/01/2026;COMPRA SHOP;123;;-5,00;95,00;\n;;Total;0,00;-5,00;95,00;\n`,
  ],
  [
    'bb',
    1,
    -500,
    `"Data","Dependencia Origem","Histórico","Data do Balancete","Número do documento","Valor",\n"01/01/2026","","Saldo Anterior","","0","100.00",\n"31/01/2026","1234-5","Compra com Cartão - SHOP","","123","-5.00",\n"31/01/2026","","S A L D O","","0","95.00",\n`,
  ],
  [
    'venmoish',
    2,
    99500,
    `Date,Description,Amount\n"Jan 31, 2026",Shop,"$-5.00"\n"Feb 1, 2026",Pay,"$1,000.00"\n`,
  ],
  [
    'poste',
    2,
    9500,
    `DATA CONTABILE;DATA VALUTA;ADDEBITI (euro);ACCREDITI (euro);DESCRIZIONE OPERAZIONI\n31/01/26;31/01/26;5,00;;PAGAMENTO POS SHOP\n30/01/26;30/01/26;;100,00;BONIFICO\n`,
  ],
]

test.each(shapes)('an export in the shape of %s is read', (_, count, sum, text) => {
  const rows = read(text, { signs: 'as_written' }).accounts.flatMap((account) => account.entries)
  expect([rows.length, sumOf(rows)]).toEqual([count, sum])
})

test('an export whose amounts stand under a header of its own names its columns', () => {
  const text = 'Konto;Buchungstag;Soll/Haben;Empfänger;Vwz.0\n1;31.01.2026;-5,00;Shop;Rechnung\n'
  expect(errorsOf(() => read(text))?.mapping?.[0]).toContain(
    'among Konto, Buchungstag, Soll/Haben, Empfänger, Vwz.0',
  )
  expect(
    sumOf(read(text, { signs: 'as_written', mapping: { amount: 'Soll/Haben' } }).accounts[0]?.entries ?? []),
  ).toBe(-500)
})
