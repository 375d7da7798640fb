/** What is done with a field of a transaction, besides storing it in the column of its name. */
type Roles = {
  /** Two transactions that differ in it are not duplicates. */
  isCompared: boolean
  /** For a free text, which is null unless it is given, and in no index. */
  text?: {
    /** `q` searches it. */
    isSearched: boolean
    /** It has a column of its name in the CSV export. */
    isExported: boolean
    /** The row that remains of a join takes it from the other row if it has none. */
    isHandedOver: boolean
  }
}

/**
 * The fields of a new transaction. Their order is that of staged items, which are read by position, even those that were
 * stored before a deployment: a new field goes at the end, and is nullable.
 */
export const transactionFields = {
  account_id: { isCompared: true },
  to_account_id: { isCompared: true },
  category_id: { isCompared: false },
  client_id: { isCompared: false },
  type: { isCompared: true },
  amount: { isCompared: true },
  description: { isCompared: false, text: { isSearched: true, isExported: true, isHandedOver: true } },
  reference: { isCompared: true, text: { isSearched: true, isExported: true, isHandedOver: true } },
  transaction_date: { isCompared: true },
  force: { isCompared: false },
  booked_on: { isCompared: false },
  to_booked_on: { isCompared: false },
  recurring_id: { isCompared: false },
  occurrence_date: { isCompared: false },
} satisfies Record<string, Roles>

type Fields = typeof transactionFields
export type TransactionField = keyof Fields
export type TransactionText = {
  [Name in TransactionField]: Fields[Name] extends { text: object } ? Name : never
}[TransactionField]

export const transactionFieldNames = Object.keys(transactionFields) as TransactionField[]
export const comparedFields = transactionFieldNames.filter((name) => transactionFields[name].isCompared)
export const transactionTexts = transactionFieldNames.filter(
  (name): name is TransactionText => 'text' in transactionFields[name],
)
const textsThat = (role: keyof NonNullable<Roles['text']>) =>
  transactionTexts.filter((name) => transactionFields[name].text[role])
export const searchedTexts = textsThat('isSearched')
export const exportedTexts = textsThat('isExported')
export const handedOverTexts = textsThat('isHandedOver')

/** The header of the CSV export. New columns come last, so an earlier header is the beginning of this one. */
export const csvHeaders = ['date', 'amount', 'type', 'account', 'to_account', 'category', ...exportedTexts]
