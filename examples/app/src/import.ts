import { type ImportResult, unwrap } from 'purse-client'
import { client } from './session.ts'

type Texts = Record<string, string>

/** Sends a form with its file. Throws ApiError, with questions about the file. */
export function sendFile({ kind, ...entries }: Texts): Promise<ImportResult> {
  const given = Object.entries(entries).filter(([, value]) => value)
  const form: Texts = { ...Object.fromEntries(given), categorise: 'learned' }
  const { bank, store } = client.api.import
  // The form knows which entries are files and which are text; its types do not.
  const request = { form: form as Texts & { file: string & File } }
  return unwrap(kind === 'own' ? store.$post(request) : bank.store.$post(request))
}
