import { type ImportResult, unwrap } from 'purse-client'
import { client } from './session.ts'

type Texts = Record<string, string>
/** A statement of a bank, or a table with accounts, such as another app's export; and why it is neither. */
type Recognised = { kind: 'bank' | 'own'; problem: string | undefined }
export const unrecognised: Recognised = { kind: 'bank', problem: undefined }

/** Recognises a file by its beginning. What cannot be recognised is refused when it is sent. */
export async function recognise(file: File): Promise<Recognised> {
  try {
    const problem = await problemOf(file)
    if (problem) return { ...unrecognised, problem }
    const statements = await import('purse-statements')
    return {
      kind: statements.recognise(new Uint8Array(await file.arrayBuffer())).kind ?? 'bank',
      problem: undefined,
    }
  } catch {
    return unrecognised
  }
}

/** Sends a form with its file. Throws ApiError, with questions about the file. */
export function sendFile({ kind, ...entries }: Texts): Promise<ImportResult> {
  const given = Object.entries(entries).filter(([, value]) => value)
  const form: Texts = { ...Object.fromEntries(given), categorise: 'learned' }
  const { bank, store } = client.api.import
  // The form knows which entries are files and which are text; its types do not.
  const request = { form: form as Texts & { file: string & File } }
  if (kind !== 'own') return unwrap(bank.store.$post(request))
  return unwrap(store.$post({ form: { ...request.form, create_accounts: 'true' } }))
}

/** Why a file is no statement, in words that need no knowledge of formats. */
async function problemOf(file: File): Promise<string | undefined> {
  const [header = ''] = (await file.slice(0, 500).text()).split('\n')
  return unreadable.find(([, is]) => is({ file, header }))?.[0]
}

type Chosen = { file: File; header: string }
const unreadable: [text: string, is: (chosen: Chosen) => boolean][] = [
  ['This file is empty. Download it from your bank again.', ({ file }) => file.size === 0],
  [
    'This is a picture or a document, not a list of transactions. Banks offer one as CSV, Excel, OFX or CAMT.',
    ({ file }) => /^(image|video|audio)\/|pdf$/.test(file.type),
  ],
  [
    'This is an archive of several files. Unpack it, and choose one of them; of an export from YNAB, the one called “Register”.',
    ({ file }) => /\.(zip|7z|rar|gz)$/i.test(file.name),
  ],
  [
    'This is the plan of YNAB: what you meant to spend, without accounts and transactions. Choose the other file of the export, called “Register”.',
    ({ header }) =>
      /\bMonth\b/.test(header) && /\b(Assigned|Budgeted)\b/.test(header) && /\bAvailable\b/.test(header),
  ],
]
