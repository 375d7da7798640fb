import { useState } from 'preact/hooks'
import { type Ledger, type LedgerAccount, type LedgerFilter, unwrap } from 'purse-client'
import type { PageProps } from '../app.tsx'
import { differenceOf } from '../checks.ts'
import { counted, dotted, grouped, shortDay } from '../format.ts'
import { keepOrder } from '../order.ts'
import { client } from '../session.ts'
import { Button } from '../ui/button.tsx'
import { reload, useLoaded } from '../ui/loaded.ts'
import { say, writeAllAndSay } from '../ui/toast.tsx'

/** Undoes an import, and says what that does to balance checks. */
export async function undoImport(ledger: Ledger, { id }: { id: number | null }): Promise<void> {
  const undone = id && (await unwrap(client.api.imports[':id'].$delete({ param: { id } })))
  await Promise.all([ledger.sync(), reload()])
  const broken = undone ? undone.broken_checks : []
  const sentences = broken.map((check) => `On ${shortDay(check.date)} there is ${differenceOf(check)}.`)
  say(['The import is undone.', ...sentences].join(' '))
}

const shownAtFirst = 5

/** The files that were imported, each with its rows and a way back. */
export function ImportHistory({ ledger }: Pick<PageProps, 'ledger'>) {
  const { loaded = [], failure } = useLoaded(() => unwrap(client.api.imports.$get()))
  const [asked, setAsked] = useState<number>()
  const [isLong, setLong] = useState(false)
  const [emptied, setEmptied] = useState<LedgerAccount[]>([])
  if (loaded.length === 0 && emptied.length === 0) return failure ? <p>{failure.message}</p> : null
  const undo = async (id: number) => {
    const filled = accountsOnlyOf(ledger, id)
    setAsked(undefined)
    await undoImport(ledger, { id })
    const keys = new Set(filled.map(({ key }) => key))
    setEmptied(ledger.accounts().filter((one) => keys.has(one.key) && isEmpty(ledger, one)))
  }
  return (
    <article>
      <h2>Imported files</h2>
      {emptied.length > 0 && <Emptied {...{ ledger, accounts: emptied, onDone: () => setEmptied([]) }} />}
      {loaded
        .slice(0, isLong ? loaded.length : shownAtFirst)
        .map(({ id, file_name, format, counts, created_at }) => (
          <div key={id} class="line">
            <a href={`/transactions?import_id=${id}`}>
              <bdi>{file_name ?? format.toUpperCase()}</bdi>{' '}
              <small>
                {dotted(
                  shortDay(created_at.slice(0, 10)),
                  `${grouped(counts.created)} new`,
                  `${grouped(counts.duplicate)} already there`,
                )}
              </small>
            </a>
            {asked === id ? (
              <span class="line" role="alert">
                {`Undoing it deletes ${counted(ledger.transactions({ import_id: id, per_page: 1 }).total, 'transaction')}, but for those that you changed.`}
                <span class="together">
                  <Button label="Undo it" onClick={() => undo(id)} />
                  <Button label="Keep it" isMain={false} onClick={() => setAsked(undefined)} />
                </span>
              </span>
            ) : (
              <Button
                label="Undo"
                isMain={false}
                aria-label={`Undo ${file_name ?? format}`}
                onClick={() => setAsked(id)}
              />
            )}
          </div>
        ))}
      {!isLong && loaded.length > shownAtFirst && (
        <Button label="Show all" isMain={false} onClick={() => setLong(true)} />
      )}
    </article>
  )
}

const isEmpty = (ledger: Ledger, { key, balance }: LedgerAccount): boolean =>
  balance === 0 && ledger.transactions({ account_id: key, per_page: 1 }).total === 0

/** The accounts whose transactions are all of one import. */
function accountsOnlyOf(ledger: Ledger, import_id: number): LedgerAccount[] {
  const count = (filter: LedgerFilter) => ledger.transactions({ ...filter, per_page: 1 }).total
  return ledger.accounts().filter(({ key: account_id }) => {
    const own = count({ account_id, import_id })
    return own > 0 && own === count({ account_id })
  })
}

type EmptiedProps = { ledger: Ledger; accounts: LedgerAccount[]; onDone: () => void }

/** Offers to delete the accounts that an undone import leaves empty. */
function Emptied({ ledger, accounts, onDone }: EmptiedProps) {
  const named = counted(accounts.length, 'account')
  const remove = async () => {
    const removals = accounts.map(
      ({ key }) =>
        () =>
          ledger.remove('account', key),
    )
    keepOrder(ledger, 'account')
    await writeAllAndSay(ledger, removals, `${named} deleted.`)
    onDone()
  }
  return (
    <div class="question" role="status">
      <p>{`${named} ${accounts.length === 1 ? 'is' : 'are'} empty now: ${accounts.map(({ name }) => name).join(', ')}.`}</p>
      <div class="together">
        <Button label={`Delete ${named}`} onClick={remove} />
        <Button label="Keep" isMain={false} aria-label={`Keep ${named}`} onClick={onDone} />
      </div>
    </div>
  )
}
