import { type Context, Hono } from 'hono'
import { type FieldErrors, Invalid } from '../../domain/failures.ts'
import { deleteImport, listImports, showImport } from '../../services/imports/history.ts'
import { demandVerified, type ImportFile, storeImport } from '../../services/imports/store.ts'
import { understandCsv, understandStatement } from '../../services/imports/understand.ts'
import type { App } from '../app-types.ts'
import { readIdempotencyKey } from '../idempotency-key.ts'
import { importBodyLimit, readImportInput } from '../import-input.ts'
import { readImportRows } from '../import-rows.ts'
import { pathId } from '../path-id.ts'
import { presentImport, presentImportResult } from '../present.ts'

/** Importing files (api.md §4.6, decisions.md Import). */
export const importRoutes = new Hono<App>()
  .post('/store', importBodyLimit, (c) => importInput(c, 'generic'))
  .post('/bank/store', importBodyLimit, (c) => importInput(c, 'bank'))

/** What was imported, and undoing it. */
export const importHistoryRoutes = new Hono<App>()
  .get('/', async (c) => c.json((await listImports(c.var.owner)).map(presentImport)))
  .get('/:id', async (c) => c.json(presentImport(await showImport(c.var.owner, pathId(c)))))
  .delete('/:id', async (c) => {
    await deleteImport(c.var.owner, pathId(c), ['1', 'true'].includes(c.req.query('force') ?? ''))
    return c.body(null, 204)
  })

async function importInput(c: Context<App>, kind: ImportFile['kind']) {
  const { owner } = c.var
  const { key, errors } = readIdempotencyKey(c)
  const file = await understand(c, kind, errors).catch(async (error) => {
    // Whoever may not import at all is told so before anything about the file.
    if (error instanceof Invalid) await demandVerified(owner)
    throw error
  })
  return c.json(presentImportResult(file, await storeImport(owner, file, key)))
}

async function understand(
  c: Context<App>,
  kind: ImportFile['kind'],
  errors: FieldErrors,
): Promise<ImportFile> {
  if (Object.keys(errors).length > 0) throw new Invalid(errors)
  const input = await readImportInput(c)
  if (input.kind === 'rows') return readImportRows(input.transactions, kind, input.options)
  return kind === 'bank'
    ? understandStatement(input.bytes, input.options)
    : understandCsv(input.bytes, input.options)
}
