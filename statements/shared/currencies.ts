/** The codes of ISO 4217. */
export const currencyCodes = new Set(Intl.supportedValuesOf('currency'))

/** Names of currencies that are written beside amounts, without the point that may follow them. */
const names = new Set(
  `kr zł zl tl kč ft lei fr sfr r us au ca nz hk nt sg a c s s/ rs лв руб р euro euros 円 元 원 圆 圓
  rp rm грн din дин ден kn сом тг сум dh dhs kd bd jd qr sr ر.س د.إ د.ك ج.م rmb ntd cnh stg btc eth usdt usdc`.split(
    /\s+/,
  ),
)

/** Units of numbers that are no amounts of money. */
const units = new Set(
  'km mi m cm kg g lb lbs oz l ml h hr hrs min s sec pc pcs pt pts x st stk qty kwh'.split(' '),
)

/** True for a code, a usual name or an abbreviation of a currency. */
export function isCurrency(word: string): boolean {
  return currencyCodes.has(word.toUpperCase()) || names.has(word.toLowerCase().replace(/\.$/, ''))
}

/** True for a cell of a column of currencies: a code, a sign or a word, such as `Euro` and `US-Dollar`. */
export const isCurrencyName = (cell: string) =>
  /^(?=.*[\p{L}\p{Sc}])[\p{L}\p{M}\p{Sc}][\p{L}\p{M}\p{Sc}./ -]{0,19}$/u.test(cell)

/** True for a unit such as `km`; `KM` is the Bosnian mark. */
export const isUnit = (word: string) => word !== 'KM' && units.has(word.toLowerCase().replace(/\.$/, ''))

/** The first currency written beside an amount: its code, its name, or its sign with the letters before it, such as `C$`. */
export function currencyBeside(text: string): string | null {
  const words = text.match(/\p{L}[\p{L}./]+/gu) ?? []
  return words.find(isCurrency) ?? /[A-Z]{0,2}\p{Sc}/u.exec(text)?.[0] ?? null
}
