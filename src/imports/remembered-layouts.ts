import { and, desc, eq, isNotNull, isNull, or, type SQL, sql } from 'drizzle-orm'
import type { Answers, Layout, Remembered } from '../../statements/index.ts'
import type { Owner, UserScope } from '../database/owner.ts'
import { deleteOwn } from '../database/ownership.ts'
import { accounts, importLayouts, imports, type KeptLayout } from '../database/schema.ts'
import { sha256Hex } from '../identity/tokens.ts'

/** A user keeps this many layouts; beyond that, the least recently used goes. */
const maxLayouts = 200

export type ListedLayout = typeof importLayouts.$inferSelect & { lastUsed: Date | null }

/** Identifies the files of one layout. `accountId` is null if the files name their accounts themselves. */
export type LayoutOfFile = Pick<Layout, 'format' | 'headers'> & { accountId: number | null }

/** The layout that an import stores. `isNew` is false if the same is stored already. */
export type LayoutToKeep = LayoutOfFile & { layout: string; settled: Answers; isNew: boolean }

/** Selects what is kept of layouts, for the user's accounts that still exist. */
export function selectLayouts(owner: Owner) {
  const { id, layout, format, settled, importId, accountId } = importLayouts
  return owner.db
    .select({ id, layout, format, settled, importId, accountId, accountName: accounts.name })
    .from(importLayouts)
    .leftJoin(accounts, eq(accounts.id, importLayouts.accountId))
    .where(isUsable(owner))
}

const isUsable = ({ id }: UserScope) =>
  and(eq(importLayouts.userId, id), or(isNull(importLayouts.accountId), eq(accounts.userId, id))) as SQL

/** The stored values of a layout; null if there are none. */
export function keptOf(layouts: KeptLayout[], file: LayoutOfFile): Remembered | null {
  const found = layouts.find(({ layout }) => layout === keyOf(file))
  return found ? { values: found.settled, source: `as in import ${found.importId}` } : null
}

/** The accounts of statements that went into other accounts than this one, with the names of these. */
export function importedElsewhere(layouts: KeptLayout[], accountId: number): Map<string, string> {
  const others = layouts.filter((kept) => kept.format !== 'csv' && kept.accountId !== accountId)
  return new Map(
    others.flatMap(({ settled: { statement_account: name }, accountName }) =>
      name && accountName ? [[name, accountName] as const] : [],
    ),
  )
}

/** The layout of a file that was read; it is stored if it is new, or if something was told anew. */
export function layoutToKeep(
  { format, headers, values }: Layout,
  accountId: number | null,
  told: Answers,
  kept: Remembered | null,
): LayoutToKeep {
  const file = { format, headers, accountId }
  const isTold = Object.entries(told).some(([field, value]) => kept?.values[field] !== value)
  const hasOthers =
    (told.signs !== undefined && values.accounts !== kept?.values.accounts) ||
    (told.statement_account !== undefined && values.statement_accounts !== kept?.values.statement_accounts)
  return { ...file, layout: keyOf(file), settled: values, isNew: kept === null || isTold || hasOthers }
}

function keyOf({ format, headers, accountId }: LayoutOfFile): string {
  return sha256Hex(JSON.stringify([format, headers, accountId]))
}

/** Keeps a layout, in place of what was kept of it before, if the import exists. Of too many, the least used goes. */
export function keepLayout({ id, db }: UserScope, { isNew: _, ...kept }: LayoutToKeep, importId: SQL) {
  const { layout, format } = kept
  const [headers, settled] = [JSON.stringify(kept.headers), JSON.stringify(kept.settled)]
  return [
    db.run(sql`
      insert into import_layouts (user_id, account_id, layout, format, headers, settled, import_id)
      select ${id}, ${kept.accountId}, ${layout}, ${format}, ${headers}, ${settled}, ${importId}
       where ${importId} is not null
      on conflict (user_id, layout) do update set settled = excluded.settled, import_id = excluded.import_id`),
    db.run(sql`
      delete from import_layouts where user_id = ${id} and id in (
        select kept.id from import_layouts kept
         where kept.user_id = ${id} and kept.layout <> ${layout}
         order by (select max(created_at) from imports where imports.user_id = ${id} and imports.layout = kept.layout) desc,
                  kept.id desc
         limit -1 offset ${maxLayouts - 1})`),
  ]
}

/** Returns the user's layouts, the last used first. */
export async function listLayouts(owner: Owner): Promise<ListedLayout[]> {
  const used = owner.db
    .select({ layout: imports.layout, at: sql<number>`max(${imports.createdAt})`.as('at') })
    .from(imports)
    .where(and(eq(imports.userId, owner.id), isNotNull(imports.layout)))
    .groupBy(imports.layout)
    .as('used')
  const found = await owner.runOne(
    owner.db
      .select({ kept: importLayouts, at: used.at })
      .from(importLayouts)
      .leftJoin(accounts, eq(accounts.id, importLayouts.accountId))
      .leftJoin(used, eq(used.layout, importLayouts.layout))
      .where(isUsable(owner))
      .orderBy(desc(used.at), desc(importLayouts.id)),
  )
  return found.map(({ kept, at }) => ({ ...kept, lastUsed: at === null ? null : new Date(at) }))
}

/** Deletes a layout. Throws NotFound, Forbidden. */
export function deleteLayout(owner: Owner, id: number): Promise<void> {
  return deleteOwn(owner, importLayouts, id)
}
