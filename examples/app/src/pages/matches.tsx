import { unwrap } from 'purse-client'
import type { PageProps } from '../app.tsx'
import { counted } from '../format.ts'
import { findAllOpen, isSure, join, type Match, separate } from '../matches.ts'
import { client } from '../session.ts'
import { Form } from '../ui/form.tsx'
import { reload, useLoaded } from '../ui/loaded.ts'
import { Page } from '../ui/page.tsx'
import { say } from '../ui/toast.tsx'
import { Expected, Side } from './occurrence-match.tsx'

const kinds = { duplicate: 'Recorded twice?', transfer: 'One transfer?' }

/** Transactions that may be one event, in pairs. Only the service finds them. */
export function Matches({ ledger }: PageProps) {
  const { loaded, failure } = useLoaded(() => findAllOpen(ledger))
  const { matches = [], occurrences = [] } = loaded ?? {}
  const joinAll = async (chosen: Match[]) => {
    const joined = await join(chosen)
    await Promise.all([ledger.sync(), reload()])
    say(`${counted(joined.length, 'pair')} joined.`, async () => {
      for (const one of joined) await separate(one)
      await Promise.all([ledger.sync(), reload()])
      say('Undone.')
    })
  }
  const reject = async ({ kind, ids }: Match) => {
    const json = { kind, ids }
    await unwrap(client.api.matches.reject.$post({ json }))
    await reload()
    say('They stay separate.', async () => {
      await unwrap(client.api.matches.reject.$delete({ json }))
      await reload()
      say('Undone.')
    })
  }

  const sure = matches.filter(isSure)
  return (
    <Page title="Matches">
      <p>
        What you recorded and your bank’s file has too, and transfers between your accounts. Joined, a pair
        counts once.
      </p>
      {failure && <p role="alert">{failure.message}</p>}
      {sure.length > 0 && (
        <Form submit={`Join ${counted(sure.length, 'sure pair')}`} onSubmit={() => joinAll(sure)} />
      )}
      {loaded && matches.length + occurrences.length === 0 && <p role="status">Nothing looks like a pair.</p>}
      {occurrences.map((match) => (
        <Expected key={`${match.transaction.id} ${match.occurrence_date}`} {...{ ledger, match }} />
      ))}
      {matches.map((match) => (
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
          <div class="together">
            <Form submit="Join" onSubmit={() => joinAll([match])} />
            <Form submit="Keep both" look="outline" onSubmit={() => reject(match)} />
          </div>
        </article>
      ))}
    </Page>
  )
}
