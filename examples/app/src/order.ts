import type { Ledger } from 'purse-client'

type Named = { key: string; name: string }
type Noun = 'account' | 'category'

export const orderKey = 'purse.order'
const kept = (): Partial<Record<Noun, Named[]>> => JSON.parse(localStorage.getItem(orderKey) ?? '{}')

/** The accounts in the order of this device. */
export const accountsOf = (ledger: Ledger) => inOrder('account', ledger.accounts())
/** The categories in the order of this device. */
export const categoriesOf = (ledger: Ledger) => inOrder('category', ledger.categories())

/** Keeps the order before a row is deleted: if that is undone, the row has another key and is the newest. */
export function keepOrder(ledger: Ledger, noun: Noun): void {
  const rows = noun === 'account' ? accountsOf(ledger) : categoriesOf(ledger)
  const names = rows.map(({ key, name }) => ({ key, name }))
  localStorage.setItem(orderKey, JSON.stringify({ ...kept(), [noun]: names }))
}

function inOrder<Row extends Named>(noun: Noun, rows: Row[]): Row[] {
  const before = kept()[noun] ?? []
  const placeOf = ({ key, name }: Row) => {
    const own = before.findIndex((one) => one.key === key)
    const place = own >= 0 ? own : before.findIndex((one) => one.name === name)
    return place >= 0 ? place : before.length
  }
  return before.length === 0 ? rows : rows.toSorted((a, b) => placeOf(a) - placeOf(b))
}
