import { type ImportResult, unwrap } from 'purse-client'
import { client } from './session.ts'

type Texts = Record<string, string>

/** The meanings that a column may have. */
export const mappable = ['date', 'amount', 'debit', 'credit', 'description']

/** Sends a form with its file. Throws ApiError with questions by field. */
export function sendFile({ kind, ...entries }: Texts): Promise<ImportResult> {
  const given = Object.entries(entries).filter(([, value]) => value)
  const mapping = Object.fromEntries(given.filter(([name]) => mappable.includes(name)))
  const others = Object.fromEntries(given.filter(([name]) => !mappable.includes(name)))
  const form: Texts = { ...others, mapping: JSON.stringify(mapping) }
  const { bank, store } = client.api.import
  // The form knows which entries are files and which are text; its types do not.
  const request = { form: form as Texts & { file: string & File } }
  return unwrap(kind === 'own' ? store.$post(request) : bank.store.$post(request))
}

/** The columns that the question shows, by number: each with its header and its value in the first row. */
export function columnsIn(text: string) {
  const column = /(?:has |, )(\d+)(?: \(([^)]*)\))?: (.*?)(?=, \d+(?: \([^)]*\))?: |\. Send mapping)/g
  const found = [...text.matchAll(column)]
  return found.map(([, number = '', header = number, first]) => [number, `${header}: ${first}`] as const)
}
