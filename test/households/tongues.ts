/** A payee: the bank's name for it, and the words that people type, if any. */
export type Payee = { booked: string; typed: readonly string[] }

/** How people and banks of one language write. */
export type Tongue = {
  holders: readonly [string, string]
  friends: readonly string[]
  cafes: readonly Payee[]
  bakeries: readonly Payee[]
  buses: Payee
  shops: readonly Payee[]
  restaurants: readonly Payee[]
  online: readonly Payee[]
  subscriptions: readonly Payee[]
  debits: readonly Payee[]
  landlord: Payee
  employers: readonly Payee[]
  /** What a bank puts around card payments, debits and transfers; `*` is the payee. */
  card: string
  debit: string
  transfer: string
  cashMachine: Payee
  purposes: readonly string[]
  accounts: { giro: readonly string[]; second: readonly string[]; cash: string }
}

/** `BANK TEXT: typed, typed` for each payee. */
const payees = (text: string): Payee[] =>
  text
    .trim()
    .split('\n')
    .map((line) => {
      const [booked = '', typed = ''] = line.split(':')
      return { booked: booked.trim(), typed: typed.split(',').map((words) => words.trim()) }
    })
const payee = (text: string): Payee => payees(text)[0] as Payee

const english: Tongue = {
  holders: ['Maya Lindqvist', 'Tom Okafor'],
  friends: ['Priya Nair', 'Sam Whitcombe', 'Leo Marsh'],
  cafes: payees(`SQ *BLUE DOOR COFFEE LONDON GB: coffee, flat white, Blue Door
    PRET A MANGER 0417 LONDON: coffee, Pret,`),
  bakeries: payees(`GAILS BAKERY RICHMOND: bread, Gail's
    THE FLOUR STATION LTD: bread, bakery`),
  buses: payee('TFL TRAVEL CH TFL.GOV.UK/CP: bus, tube, TfL'),
  shops: payees(`SAINSBURYS S/MKTS 4471 LONDON GBR: groceries, Sainsbury's, shopping
    TESCO STORES 2984: Tesco, groceries, food
    WM MORRISONS STORE: big shop, Morrisons
    BOOTS 1194 HIGH ST: pharmacy, Boots`),
  restaurants: payees(`DISHOOM KINGS CROSS: dinner, Dishoom with Priya
    FRANCO MANCA 12: pizza, dinner
    SUMUP *THAI CORNER: Thai, lunch`),
  online: payees(`AMZNMKTPLACE AMAZON.CO.UK: Amazon, books, present
    PAYPAL *ASOS.COM: dress, Asos, clothes
    ZALANDO PAYMENTS GMBH: shoes, Zalando`),
  subscriptions: payees(`NETFLIX.COM 408-5403700: Netflix
    SPOTIFY P1F4A2B9: music, Spotify
    VODAFONE LTD DD 7001234567: phone, mobile`),
  debits: payees(`PUREGYM LIMITED: gym
    LITTLE ACORNS NURSERY: nursery, Ida nursery`),
  landlord: payee('FOXTONS LETTINGS: rent'),
  employers: payees(`ACME HOLDINGS PAYROLL: salary, pay
    CITY LIBRARY BACS: salary Tom`),
  card: 'CARD PAYMENT TO *',
  debit: 'DIRECT DEBIT * REF 0093441',
  transfer: 'FASTER PAYMENT *',
  cashMachine: payee('CASH WITHDRAWAL LINK ATM HIGH STREET: cash, cash machine, from the ATM'),
  purposes: ['Savings', 'holiday', 'for the bills', '', 'transfer', 'rainy day'],
  accounts: {
    giro: ['Current account', 'Barclays', 'Joint account', 'Main'],
    second: ['Savings', 'Monzo', 'Holiday pot', 'Account 2'],
    cash: 'Cash',
  },
}

const german: Tongue = {
  holders: ['Käthe Müller', 'Jörg Müller'],
  friends: ['Anna Schäfer', 'Ben Özdemir', 'Lea Groß'],
  cafes: payees(`CAFE SCHROEDER//BERLIN/DE: Kaffee, Café Schröder
    STARBUCKS 4412 HBF BERLIN: Kaffee, Starbucks,`),
  bakeries: payees(`BAECKEREI WUENSCHE FIL. 12: Brötchen, Bäcker, Bäckerei
    KAMPS GMBH BERLIN: Brot, Kamps`),
  buses: payee('BVG APP 10178 BERLIN: Bus, BVG, Fahrkarte'),
  shops: payees(`REWE SAGT DANKE. 44710815//BERLIN: Rewe, Einkauf, Lebensmittel
    EDEKA BRUECKNER: Edeka, Einkauf
    ALDI SE U. CO. KG: Aldi, Wocheneinkauf
    DM-DROGERIE MARKT 1021: dm, Drogerie`),
  restaurants: payees(`RISTORANTE DA MARIO: Pizza, Essen mit Anna
    SUMUP .PHO VIET BISTRO: Mittagessen, Pho
    GASTHAUS ZUR LINDE: Abendessen`),
  online: payees(`AMAZON PAYMENTS EUROPE S.C.A. 303-1234567: Amazon, Buch, Geschenk
    PAYPAL EUROPE S.A R.L. ET CIE S.C.A PP.4471.PP . ZALANDO: Zalando, Schuhe
    KLARNA BANK AB OTTO GMBH: Otto, Hose`),
  subscriptions: payees(`NETFLIX INTERNATIONAL B.V.: Netflix
    Telekom Deutschland GmbH Festnetz: Telekom, Internet
    Rundfunk ARD ZDF DRadio: GEZ, Rundfunk`),
  debits: payees(`FitX Deutschland GmbH Beitrag: Fitness
    Kita Sonnenschein e.V.: Kita`),
  landlord: payee('Hausverwaltung Krause KG Miete: Miete'),
  employers: payees(`Lindqvist und Partner Lohn: Gehalt
    Stadtbibliothek Bezuege: Gehalt Jörg`),
  card: 'KARTENZAHLUNG *',
  debit: 'SEPA LASTSCHRIFT *',
  transfer: 'Überweisung *',
  cashMachine: payee('GA NR00004471 BLZ10050000 AUSZAHLUNG: Bargeld, Geldautomat'),
  purposes: ['Sparen', 'Urlaub', 'Haushaltskasse', '', 'Übertrag', 'Rücklage'],
  accounts: {
    giro: ['Girokonto', 'Sparkasse', 'Gemeinschaftskonto', 'Konto'],
    second: ['Tagesgeld', 'N26', 'DKB Urlaubskonto', 'Konto 2'],
    cash: 'Bargeld',
  },
}

const french: Tongue = {
  holders: ['Élodie Lefèvre', 'Hugo Lefèvre'],
  friends: ['Chloé Garnier', 'Noé Besson', 'Inès Roux'],
  cafes: payees(`CB CAFE DES ARTS FACT 140326: café, Café des Arts
    CB LE PETIT NOIR PARIS 11: café,`),
  bakeries: payees(`CB BOULANGERIE MARTIN: pain, boulangerie
    CB PAUL 1187: Paul, croissants`),
  buses: payee('CB RATP PARIS: métro, RATP, tickets'),
  shops: payees(`CB CARREFOUR CITY 4471: courses, Carrefour
    CB MONOPRIX PARIS 9: Monoprix, courses
    CB FRANPRIX 5122: courses
    CB PHARMACIE DU CENTRE: pharmacie`),
  restaurants: payees(`CB CHEZ LOUISE: resto, dîner
    CB SUSHI WAY: sushi, midi
    CB SUMUP *CREPERIE: crêpes`),
  online: payees(`CB AMAZON EU SARL: Amazon, livre
    CB FNAC DIRECT: Fnac, cadeau
    PAYPAL VINTED: Vinted, veste`),
  subscriptions: payees(`PRLV SEPA FREE TELECOM: Free, internet
    PRLV SEPA DEEZER: Deezer, musique
    PRLV SEPA EDF CLIENTS: EDF, électricité`),
  debits: payees(`BASIC FIT FRANCE: sport
    MAIRIE CANTINE SCOLAIRE: cantine`),
  landlord: payee('AGENCE DUPONT LOYER: loyer'),
  employers: payees(`SOCIETE ACME SALAIRE: salaire
    MAIRIE DE PARIS PAIE: salaire Hugo`),
  card: 'PAIEMENT * CARTE 4471',
  debit: 'PRELEVEMENT *',
  transfer: 'VIREMENT *',
  cashMachine: payee('RETRAIT DAB 12/03 CARTE 4471: espèces, retrait'),
  purposes: ['épargne', 'vacances', 'compte commun', '', 'virement', 'impôts'],
  accounts: {
    giro: ['Compte courant', 'Boursorama', 'Compte joint', 'Principal'],
    second: ['Livret A', 'Revolut', 'Vacances', 'Compte 2'],
    cash: 'Espèces',
  },
}

const japanese: Tongue = {
  holders: ['ヤマダ ハナコ', 'ヤマダ タロウ'],
  friends: ['サトウ ケン', 'スズキ アイ', 'タナカ ユミ'],
  cafes: payees(`ｽﾀｰﾊﾞﾂｸｽ ｺｰﾋｰ ｼﾌﾞﾔ: スターバックス, コーヒー
    ドトール新宿店: ドトール,`),
  bakeries: payees(`アンデルセン青山: パン, アンデルセン
    神戸屋キッチン: パン`),
  buses: payee('モバイルSUICA チャージ: 電車, Suica'),
  shops: payees(`イオン品川シーサイド: イオン, 食料品
    ｾﾌﾞﾝ-ｲﾚﾌﾞﾝ: セブン, コンビニ
    ライフ大崎店: ライフ, 買い物
    マツモトキヨシ: 薬`),
  restaurants: payees(`サイゼリヤ渋谷: 夕食, サイゼリヤ
    一蘭 新宿中央東口店: ラーメン
    スシロー五反田: 寿司`),
  online: payees(`AMAZON CO JP: アマゾン, 本
    楽天市場: 楽天, プレゼント
    ZOZOTOWN: 服`),
  subscriptions: payees(`NETFLIX.COM: ネットフリックス
    ﾄﾞｺﾓ ｹｲﾀｲ ﾘﾖｳ: 携帯, ドコモ
    東京電力エナジー: 電気`),
  debits: payees(`コナミスポーツ: ジム
    ひまわり保育園: 保育園`),
  landlord: payee('ﾐﾂｲ ﾌﾄﾞｳｻﾝ ﾔﾁﾝ: 家賃'),
  employers: payees(`給与 カ)アクメ: 給料
    給与 トシヨカン: 給料`),
  card: 'デビット *',
  debit: '口座振替 *',
  transfer: '振込 *',
  cashMachine: payee('ATM 出金: 現金, ATM'),
  purposes: ['貯金', '旅行', '', '振替', '生活費'],
  accounts: { giro: ['三菱UFJ', '普通預金'], second: ['楽天銀行', '貯金'], cash: '現金' },
}

export const tongues: readonly Tongue[] = [english, german, french, english, german, japanese]
