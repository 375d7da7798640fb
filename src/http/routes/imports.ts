import type { Context } from 'hono'
import { Hono } from 'hono/tiny'
import type * as z from 'zod/mini'
import { type ImportRequest, importOptions, newImportKey, undoOptions } from '../../contract/imports.ts'
import type { Draft } from '../../domain/draft.ts'
import { Invalid } from '../../domain/failures.ts'
import { deleteImport, listImports, showImport } from '../../services/imports/history.ts'
import type { ImportFile } from '../../services/imports/import-file.ts'
import { storeImport } from '../../services/imports/store.ts'
import { understandCsv, understandStatement } from '../../services/imports/understand.ts'
import { showUser } from '../../services/profile.ts'
import { requireVerified } from '../../services/verified.ts'
import type { App } from '../app-types.ts'
import { BodyMemory } from '../body-memory.ts'
import type { BodyStream } from '../body-stream.ts'
import { importBody, memoryPerFileByte, readImportInput } from '../import-input.ts'
import { readImportRows } from '../import-rows.ts'
import {
  maxSmallJsonBytes,
  memoryForItems,
  memoryForSmallJson,
  mostMemoryFor,
  saysJson,
} from '../json-body.ts'
import { pathId } from '../path-id.ts'
import { presentImport, presentImportResult } from '../present.ts'
import { importLimit } from '../rate-limits.ts'
import { declares, header, hints } from '../validate.ts'

const request = declares<ImportRequest>('query', importOptions)

export const importRoutes = new Hono<App>()
  .post('/store', importLimit, request, header(newImportKey), (c) => handleImport(c, 'generic'))
  .post('/bank/store', importLimit, request, header(newImportKey), (c) => handleImport(c, 'bank'))

/** What was imported, and undoing it. */
export const importHistoryRoutes = new Hono<App>()
  .get('/', async (c) => c.json((await listImports(c.get('owner'))).map(presentImport)))
  .get('/:id', async (c) => c.json(presentImport(await showImport(c.get('owner'), pathId(c)))))
  .delete('/:id', hints('query', undoOptions), async (c) => {
    const { force = false } = c.req.valid('query')
    await deleteImport(c.get('owner'), pathId(c), force)
    return c.body(null, 204)
  })

/** What the SQL of an import takes until the database has answered, in bytes: 40 to 60 KB, several times over. */
const memoryForStatements = 128 * 1024

type Bytes = Uint8Array<ArrayBuffer>
type Kind = ImportFile['kind']
type ImportContext = Context<App, string, { out: { header: Draft<z.output<typeof newImportKey>> } }>

/** Small JSON is read at once, its sender checked as it is stored; the rest is read only once its sender is known. */
async function handleImport(c: ImportContext, kind: Kind) {
  const stream = importBody(c)
  const isSmall = saysJson(c) && (await stream.readTo(maxSmallJsonBytes))
  return isSmall ? importSmallJson(c, stream.takeBytes(), kind) : importFile(c, stream, kind)
}

async function importSmallJson(c: ImportContext, body: Bytes, kind: Kind) {
  const memory = new BodyMemory()
  const most = mostMemoryFor(c)
  const held = memoryForStatements + memoryForSmallJson(body.byteLength)
  try {
    memory.hold(held, most)
    const file = await understand(c, body, kind).catch(async (error) => {
      // Whether the user may import at all comes before errors of the file.
      if (error instanceof Invalid) requireVerified(await showUser(c.get('owner')))
      throw error
    })
    memory.hold(held + memoryForItems(file.rows.length), most)
    return await store(c, file)
  } finally {
    memory.release()
  }
}

/**
 * Files are large, expensive to read, and hold up all other writers while they are stored: those of one user take
 * turns, once it is known that the user may import.
 */
async function importFile(c: ImportContext, stream: BodyStream, kind: Kind) {
  const user = await showUser(c.get('owner'))
  requireVerified(user)
  const memory = new BodyMemory(user.id)
  try {
    await stream.readTo(Number.POSITIVE_INFINITY, (size) => memory.hold(size))
    const body = stream.takeBytes()
    await memory.holdToRead(memoryForStatements + body.byteLength * memoryPerFileByte)
    // The time of the upload does not count.
    c.get('deadline').restart()
    const file = await understand(c, body, kind)
    return await store(c, file)
  } finally {
    memory.release()
  }
}

async function understand(c: ImportContext, body: Bytes, kind: Kind): Promise<ImportFile> {
  const { complete, errors } = c.req.valid('header')
  if (!complete) throw new Invalid(errors)
  const input = await readImportInput(c, body)
  if (input.kind === 'rows') return readImportRows(input.transactions, kind, input.options)
  const understandFile = kind === 'bank' ? understandStatement : understandCsv
  return understandFile(input.bytes, input.options)
}

async function store(c: ImportContext, file: ImportFile) {
  const key = c.req.valid('header').values['Idempotency-Key']
  const { appUrl } = c.get('deps').config.links
  return c.json(presentImportResult(file, await storeImport(c.get('owner'), file, key), appUrl))
}
