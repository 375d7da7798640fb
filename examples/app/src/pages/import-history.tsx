import { useState } from 'preact/hooks'
import { type Ledger, unwrap } from 'purse-client'
import type { PageProps } from '../app.tsx'
import { differenceOf } from '../checks.ts'
import { counted, dotted, grouped, shortDay } from '../format.ts'
import { client } from '../session.ts'
import { Button } from '../ui/button.tsx'
import { reload, useLoaded } from '../ui/loaded.ts'
import { say } from '../ui/toast.tsx'

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
  if (loaded.length === 0) return failure ? <p>{failure.message}</p> : null
  const undo = async (id: number) => {
    setAsked(undefined)
    await undoImport(ledger, { id })
  }
  return (
    <article>
      <h2>Imported files</h2>
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
