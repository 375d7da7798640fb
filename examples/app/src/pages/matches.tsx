import { unwrap } from 'purse-client'
import { money } from '../amounts.ts'
import type { PageProps } from '../app.tsx'
import { counted, dotted, shortDay } from '../format.ts'
import { findMatches, isSure, join, type Match } from '../matches.ts'
import { client } from '../session.ts'
import { Button } from '../ui/button.tsx'
import { useLoaded } from '../ui/loaded.ts'
import { Page } from '../ui/page.tsx'
import { say } from '../ui/toast.tsx'

const kinds = { duplicate: 'Recorded twice?', transfer: 'One transfer?' }

/** Transactions that may be one event, in pairs. Only the service finds them. */
export function Matches({ ledger }: PageProps) {
  const { loaded: matches, failure, reload } = useLoaded(() => findMatches())
  const update = () => Promise.all([ledger.sync(), reload()])

  const joinAll = async (chosen: Match[]) => {
    const joined = await join(chosen)
    await update()
    say(`${counted(joined.length, 'pair')} joined.`, async () => {
      for (const { id } of joined) await unwrap(client.api.matches.separate.$post({ json: { id } }))
      await update()
    })
  }
  const reject = async ({ kind, ids }: Match) => {
    const json = { kind, ids }
    await unwrap(client.api.matches.reject.$post({ json }))
    await reload()
    say('They stay separate.', async () => {
      await unwrap(client.api.matches.reject.$delete({ json }))
      await reload()
    })
  }

  const sure = matches?.filter(isSure) ?? []
  return (
    <Page title="Matches">
      <p>
        What you recorded and your bank’s file has too, and transfers between your accounts. Joined, a pair
        counts once.
      </p>
      {failure && <p role="alert">{failure.message}</p>}
      {sure.length > 0 && (
        <p>
          <Button label={`Join ${counted(sure.length, 'sure pair')}`} onClick={() => joinAll(sure)} />
        </p>
      )}
      {matches?.length === 0 && <p role="status">Nothing in the last 90 days looks like a pair.</p>}
      {matches?.map((match) => (
        <article key={match.ids.join()}>
          <header class="line">
            <h2>{kinds[match.kind]}</h2>
            <small>{match.certainty}</small>
          </header>
          <div class="columns">
            {match.transactions.map((row) => (
              <Side key={row.id} ledger={ledger} row={row} />
            ))}
          </div>
          <p class="line">
            <Button label="Join" onClick={() => joinAll([match])} />
            <Button label="Keep both" isMain={false} onClick={() => reject(match)} />
          </p>
        </article>
      ))}
    </Page>
  )
}

function Side({ ledger, row }: Pick<PageProps, 'ledger'> & { row: Match['transactions'][number] }) {
  const known = ledger.transaction(row.id)
  return (
    <div class="row">
      <div>
        <bdi>{row.description ?? 'Without a description'}</bdi>
        <small>{dotted(shortDay(row.transaction_date), known?.account.name, known?.category?.name)}</small>
        {row.reference && <small>Reference {row.reference}</small>}
      </div>
      <strong class={row.type}>{money(row.type === 'income' ? row.amount : `-${row.amount}`)}</strong>
    </div>
  )
}
