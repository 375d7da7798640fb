import { unwrap } from 'purse-client'
import { today } from '../format.ts'
import { client } from '../session.ts'
import { Choice, type Entries, Form, type Options } from '../ui/form.tsx'

const formats: Options = [
  ['json', 'Everything (JSON), which can be restored'],
  ['csv', 'Transactions (CSV), for a spreadsheet'],
  ['hledger', 'A journal, for hledger'],
]
/** The extension of a file in each format, and how a complete file ends. */
const endings = {
  json: ['json', /"complete":true\}\s*$/],
  csv: ['csv', /\n$/],
  hledger: ['journal', /; complete: .*\n$/],
} as const

/** Downloads everything that the person has. */
export function Export() {
  const download = async ({ format: chosen }: Entries) => {
    const format = chosen as keyof typeof endings
    const [extension, end] = endings[format]
    const response = await client.api.export.$get({ query: { format } })
    if (!response.ok) await unwrap(response)
    const file = await response.blob()
    if (!end.test(await file.slice(-200).text())) throw new Error('The file broke off. Try again.')
    const link = document.createElement('a')
    link.href = URL.createObjectURL(file)
    link.download = `purse-${today()}.${extension}`
    link.click()
    URL.revokeObjectURL(link.href)
  }
  return (
    <article>
      <h2>Export</h2>
      <Form submit="Download" look="outline" onSubmit={download}>
        <Choice label="Format" name="format" options={formats} />
      </Form>
    </article>
  )
}
