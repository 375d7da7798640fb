import type { Context, Next } from 'hono'
import { Hono } from 'hono/tiny'
import type * as z from 'zod/mini'
import { kindsOf, selectKinds } from '../accounts/kinds.ts'
import { presentCheck } from '../balance-checks/present.ts'
import { dateIn } from '../domain/dates.ts'
import type { Draft } from '../failures/draft.ts'
import { Invalid } from '../failures/failures.ts'
import type { App } from '../http/app-types.ts'
import { Limiter } from '../http/limiter.ts'
import { pathId } from '../http/path-id.ts'
import { importLimit } from '../http/rate-limits.ts'
import { hasSmallContentLength, isJson } from '../http/request-body.ts'
import { declareInput, header, lenientFields } from '../http/validate.ts'
import { selectLinkable } from '../recurring/linkable.ts'
import { showUser } from '../users/profile.ts'
import { requireVerified } from '../users/verified.ts'
import { type ImportRequest, importOptions, newImportKey, undoOptions } from './contract.ts'
import { readImportFile } from './file-input.ts'
import { deleteImport, listImports, showImport } from './history.ts'
import type { ImportFile } from './import-file.ts'
import { readImportInput, receiveImport } from './input.ts'
import { presentImport, presentImportResult, presentLayout } from './present.ts'
import { deleteLayout, listLayouts, selectLayouts } from './remembered-layouts.ts'
import { readImportRows } from './rows-input.ts'
import { storeImport } from './store.ts'

const request = declareInput<ImportRequest>('query', importOptions)

export const importRoutes = new Hono<App>()
  .post('/store', importLimit, requireSender, receiveImport, request, header(newImportKey), (c) =>
    handleImport(c, 'generic'),
  )
  .post('/bank/store', importLimit, requireSender, receiveImport, request, header(newImportKey), (c) =>
    handleImport(c, 'bank'),
  )

/** Imports and layouts: list, show, delete. */
export const importHistoryRoutes = new Hono<App>()
  .get('/', async (c) => c.json((await listImports(c.get('owner'))).map(presentImport)))
  .get('/layouts', async (c) => c.json((await listLayouts(c.get('owner'))).map(presentLayout)))
  .delete('/layouts/:id', async (c) => {
    await deleteLayout(c.get('owner'), pathId(c))
    return c.body(null, 204)
  })
  .get('/:id', async (c) => c.json(presentImport(await showImport(c.get('owner'), pathId(c)))))
  .delete('/:id', lenientFields('query', undoOptions), async (c) => {
    const { force = false } = c.req.valid('query')
    const broken = await deleteImport(c.get('owner'), pathId(c), force)
    if (broken.length === 0) return c.body(null, 204)
    return c.json({ broken_checks: broken.map(presentCheck) }, 200)
  })

type Bytes = Uint8Array<ArrayBuffer>
type Kind = ImportFile['kind']
type ImportContext = Context<App, string, { out: { header: Draft<z.output<typeof newImportKey>> } }>

// Other limits: failures/limits.ts.

/** An import keeps the processor busy, and all other writers waiting while it is stored. */
const limiter = new Limiter(2)

/** True for an import whose sender is checked as it is stored, in the same round trip. */
const isSmallJson = (c: Context<App>) => isJson(c) && hasSmallContentLength(c)

/** A file, or large JSON, is received only if the token is valid and the user may import. */
async function requireSender(c: Context<App>, next: Next) {
  if (!isSmallJson(c)) {
    const owner = c.get('owner')
    const { user, layouts, kinds, rules } = await owner.run({
      layouts: selectLayouts(owner),
      kinds: selectKinds(owner),
      rules: selectLinkable(owner, owner.now),
    })
    requireVerified(user)
    c.set('layouts', layouts)
    c.set('accountKinds', kindsOf(kinds))
    c.set('linkable', rules)
    c.set('today', dateIn(user.timezone, owner.now))
  }
  await next()
}

async function handleImport(c: ImportContext, kind: Kind) {
  const bytes = new Uint8Array(await c.req.arrayBuffer())
  const small = isSmallJson(c) ? await readBeforeLimiting(c, bytes, kind) : undefined
  return limiter.run(c.get('deps').config.budgets, async () => {
    const file = small ?? (await readInput(c, bytes, kind))
    const key = c.req.valid('header').values['Idempotency-Key']
    const { appUrl } = c.get('deps').config.links
    const rules = c.get('linkable')
    const known = rules && { rules, today: c.get('today') }
    const stored = await storeImport(c.get('owner'), file, key, known)
    return c.json(presentImportResult(file, stored, appUrl))
  })
}

/** Whether the user may import at all comes before errors of the body. */
async function readBeforeLimiting(c: ImportContext, bytes: Bytes, kind: Kind): Promise<ImportFile> {
  try {
    return await readInput(c, bytes, kind)
  } catch (error) {
    if (error instanceof Invalid) requireVerified(await showUser(c.get('owner')))
    throw error
  }
}

async function readInput(c: ImportContext, bytes: Uint8Array<ArrayBuffer>, kind: Kind): Promise<ImportFile> {
  const { complete, errors } = c.req.valid('header')
  if (!complete) throw new Invalid(errors)
  await c.get('memory').waitForImport(bytes.byteLength)
  const input = await readImportInput(c, bytes)
  if (input.options.create_accounts && (kind === 'bank' || input.kind === 'rows'))
    throw new Invalid({
      create_accounts: ['Only a file of import/store names accounts that can be created.'],
    })
  if (input.kind === 'rows') return readImportRows(input.transactions, kind, input.options)
  const kept = { layouts: c.get('layouts'), accountKinds: c.get('accountKinds') }
  return readImportFile(c.get('owner'), { ...input, kind, today: c.get('today') }, kept)
}
