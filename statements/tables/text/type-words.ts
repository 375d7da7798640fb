import { foldHeader } from './fold-header.ts'
import { markOf } from './mark-words.ts'

/** What a row of an app's export is; the halves of transfers are rows of their own in some. */
export type RowKind = 'income' | 'expense' | 'transfer' | 'transfer_in' | 'transfer_out'

/** The words for each kind in several languages, apart from those that mark debits and credits. */
const words: Record<RowKind, string> = {
  income: `incomes|inc|revenue|revenu|revenus|przychody|gelir|доход|수입|รายรับ`,
  expense: `exp|spending|payment|outcome|spese|kulu|gider|расход|지출|รายจ่าย`,
  transfer: `transfer|transfers|account transfer|umbuchung|uberweisung zwischen konten|ubertrag|virement interne|transferencia|transferencia entre contas|trasferimento|giroconto|overboeking|overschrijving|przelew wlasny|przelew|overforing|siirto|prevod|atutalas|transfer intern|перевод|转账|이체|โอน`,
  transfer_in: `transfer in|incoming transfer|transfer from|umbuchung eingang|virement entrant|transferencia recibida|transferencia recebida|trasferimento in entrata|transfer income|转入|余额变更 转入`,
  transfer_out: `transfer out|outgoing transfer|transfer to|umbuchung ausgang|virement sortant|transferencia enviada|trasferimento in uscita|transfer expense|转出`,
}

/** The words for categories of transfers, besides those for kinds. */
const transferCategories = new Set([
  'internal transfer',
  'internal transfers',
  'credit card payment',
  'credit card payments',
])

/** True for the category of transfers between one's own accounts, as apps name it. */
export function isOfTransfers(category: string | null): boolean {
  if (category === null) return false
  return transferCategories.has(foldHeader(category)) || Boolean(kindOf(category)?.startsWith('transfer'))
}

const kinds = new Map(
  (Object.keys(words) as RowKind[]).flatMap((kind) =>
    words[kind].split('|').map((word) => [foldHeader(word), kind] as const),
  ),
)

/** The kind that a word names; null if it is unknown. */
export function kindOf(word: string): RowKind | null {
  const known = kinds.get(foldHeader(word))
  if (known) return known
  const mark = markOf(word)
  return mark && (mark === 'credit' ? 'income' : 'expense')
}
