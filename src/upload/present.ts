import { presentCheck } from '../balance-checks/present.ts'
import { moneyNumber } from '../domain/money.ts'
import { presentChange, presentFeed } from '../feed/present.ts'
import type { ShownResult, ShownUploadAnswer } from './contract.ts'
import type { Outcome } from './decide/outcomes.ts'
import type { Effects } from './effects.ts'
import type { Uploaded } from './upload.ts'

export function presentUploaded(done: Uploaded): ShownUploadAnswer {
  const { outcomes, feed, effects } = done
  return {
    results: outcomes.map((one) => presentOutcome(one, done)),
    ...(feed && presentFeed(feed)),
    ...(effects && presentEffects(effects)),
  }
}

function presentOutcome(one: Outcome, { ids, repeated, effects }: Uploaded): ShownResult {
  const { index, noun, outcome, fields, errors } = one
  const id = typeof one.id === 'string' ? ids.get(`${noun} ${one.id}`) : one.id
  const isRepeated = outcome === 'duplicate' && typeof one.id === 'string'
  const current = isRepeated ? repeated.find((row) => row.noun === noun && row.id === id) : one.current
  const data = current && presentChange(current).data
  // What is new after a dry run has neither an id nor a version.
  const isNew = effects && typeof one.id === 'string'
  return {
    index,
    outcome,
    ...(isNew
      ? { id: null, version: null }
      : { ...(id != null && { id }), ...(one.version !== null && { version: one.version }) }),
    ...(fields && { fields }),
    ...(errors && { errors }),
    ...(one.isUncategorised && { uncategorised: true }),
    ...(data && !isNew && { data }),
  }
}

function presentEffects({ balances, broken }: Effects) {
  const shown = (amount: (typeof balances)[number]['before']) =>
    amount === null ? null : moneyNumber(amount)
  return {
    moves: balances.map(({ id, clientId, before, after }) => ({
      ...{ account_id: id, client_id: clientId, balance: shown(before), balance_after: shown(after) },
    })),
    broken_checks: broken.map((check) => presentCheck({ ...check, wasOk: true, brokenAt: null })),
  }
}
