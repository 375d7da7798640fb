import { useState } from 'preact/hooks'
import { type Export as ExportFile, LedgerError, type Restored, restore, unwrap } from 'purse-client'
import type { PageProps } from '../app.tsx'
import { dotted, today } from '../format.ts'
import { client } from '../session.ts'
import { Choice, type Entries, Field, Form } from '../ui/form.tsx'
import { reload, useLoaded } from '../ui/loaded.ts'

/** What is in a file of each format, its extension, and how a complete one ends. */
const formats = {
  json: ['Everything (JSON), which can be restored', 'json', /"complete":true\}\s*$/],
  csv: ['Transactions (CSV), for a spreadsheet', 'csv', /\n$/],
  hledger: ['A journal, for hledger', 'journal', /; complete: .*\n$/],
} as const
const formatOptions = Object.entries(formats).map(([format, [label]]) => [format, label] as const)

/** How the next file of each layout is read, as the first import settled it. */
export function Layouts({ ledger }: PageProps) {
  const { layouts } = client.api.imports
  const { loaded, failure } = useLoaded(() => unwrap(layouts.$get()))
  const forget = (id: number) => unwrap(layouts[':id'].$delete({ param: { id } })).finally(reload)
  const nameOf = (id: number | null) => ledger.accounts().find((one) => one.id === id)?.name ?? 'Any account'
  return (
    <article>
      <h3>Files from your bank</h3>
      <p>The next file with the same columns is read as the first one was, until you forget it.</p>
      {failure && <p>{failure.message}</p>}
      {loaded?.length === 0 && <small>No layout is remembered.</small>}
      {loaded?.map(({ id, account_id, format, headers }) => (
        <div key={id} class="line">
          <span>
            <bdi>{nameOf(account_id)}</bdi> <small>{dotted(format, headers.join(', '))}</small>
          </span>
          <Form submit="Forget" look="outline danger" onSubmit={() => forget(id)} />
        </div>
      ))}
    </article>
  )
}

/** Downloads everything that the person has. */
export function Export() {
  const download = async ({ format: chosen }: Entries) => {
    const format = chosen as keyof typeof formats
    const [, extension, end] = formats[format]
    const response = await client.api.export.$get({ query: { format } })
    if (!response.ok) await unwrap(response)
    const file = await response.blob()
    if (!end.test(await file.slice(-200).text())) throw new Error('The file broke off. Try again.')
    const link = document.createElement('a')
    link.href = URL.createObjectURL(file)
    link.download = `purse-${today()}.${extension}`
    link.click()
  }
  return (
    <article>
      <h3>Export</h3>
      <Form submit="Download" look="outline" onSubmit={download}>
        <Choice label="Format" name="format" options={formatOptions} />
      </Form>
    </article>
  )
}

/** Brings an export into a new user. After a failure, the same file goes on where it stopped. */
export function Restore({ ledger }: PageProps) {
  const [restored, setRestored] = useState<Restored>()
  const bringBack = async ({ file }: Record<string, unknown>) => {
    const text = file instanceof File ? await file.text() : ''
    const restored = await restore(client, exportIn(text))
    await ledger.sync()
    setRestored(restored)
  }
  return (
    <article>
      <h3>Restore</h3>
      <p>Brings a JSON export into a user who has no accounts yet, such as a new one.</p>
      <Form submit="Restore" look="outline" onSubmit={bringBack}>
        <Field label="Export" name="file" type="file" accept=".json" required />
      </Form>
      <div role="status">
        {restored?.matched && 'Everything is as it was in the file.'}
        {restored?.differences.map(({ what, expected, found }) => (
          <p key={what}>{`${what}: ${expected} in the file, ${found} here`}</p>
        ))}
      </div>
    </article>
  )
}

function exportIn(text: string): ExportFile {
  try {
    return JSON.parse(text)
  } catch {
    throw new LedgerError('', { file: ['This is not a JSON export.'] })
  }
}
