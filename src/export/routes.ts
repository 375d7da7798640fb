import type { Context, TypedResponse } from 'hono'
import { Hono } from 'hono/tiny'
import { requireComplete } from '../database/ownership.ts'
import { withErrors } from '../failures/draft.ts'
import { Unauthenticated } from '../failures/failures.ts'
import type { App } from '../http/app-types.ts'
import { logFailure } from '../http/observe.ts'
import { textStream } from '../http/text-stream.ts'
import { queryOfFigures } from '../http/validate.ts'
import { type ExportQuery, exportErrors, exportQuery, type ShownExport } from './contract.ts'
import { exportCsv } from './csv.ts'
import { exportJournal } from './hledger.ts'
import { exportJson } from './json.ts'
import { DataChanged, ExportReader } from './pages.ts'

/** Everything of a user in one response. The first page is read before the response begins, for a 401 or a 503. */
export const exportRoutes = new Hono<App>().get('/', queryOfFigures(exportQuery), async (c) => {
  const draft = c.req.valid('query')
  const { format = 'json', ...filter } = await requireComplete(
    c.get('owner'),
    withErrors(draft, exportErrors(draft.values)),
  )
  const reader = new ExportReader(c)
  const { type, extension, parts } = formats[format]
  const body = textStream(await parts(c, reader, filter), (error) => {
    if (!(error instanceof DataChanged || error instanceof Unauthenticated)) logFailure(error, c)
  })
  const name = `purse-${reader.today}.${extension}`
  const headers = { 'Content-Type': type, 'Content-Disposition': `attachment; filename="${name}"` }
  const response: Response = c.body(body, 200, headers)
  return response as Response & TypedResponse<ShownExport, 200, 'json'>
})

type Format = {
  type: string
  extension: string
  parts: (c: Context<App>, reader: ExportReader, filter: ExportQuery) => Promise<AsyncGenerator<string>>
}

const formats: Record<NonNullable<ExportQuery['format']>, Format> = {
  json: {
    type: 'application/json',
    extension: 'json',
    parts: (c, reader) => exportJson(reader, c.get('deps').config.changesEpoch),
  },
  csv: {
    type: 'text/csv; charset=utf-8',
    extension: 'csv',
    parts: (_, reader, filter) => exportCsv(reader, filter),
  },
  hledger: {
    type: 'text/plain; charset=utf-8',
    extension: 'journal',
    parts: (_, reader) => exportJournal(reader),
  },
}
