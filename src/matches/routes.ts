import { Hono } from 'hono/tiny'
import type { App } from '../http/app-types.ts'
import { limitLargeResponse } from '../http/large-responses.ts'
import { maxJsonBytes } from '../http/request-body.ts'
import { body, bodyWith, isObject, query, toDraft } from '../http/validate.ts'
import { presentTransaction } from '../transactions/present.ts'
import {
  joinedPair,
  joinRequest,
  matchQuery,
  maxMatches,
  pair,
  pairs,
  rejectedOccurrence,
  rejection,
  type ShownJoined,
  type ShownSeparated,
  separation,
} from './contract.ts'
import { joinMatch, joinMatches } from './join.ts'
import { listMatches } from './list.ts'
import { presentJoin, presentMatches } from './present.ts'
import { deleteOccurrenceRejection, deleteRejection, rejectMatch, rejectOccurrence } from './reject.ts'
import { separateMatch } from './separate.ts'

/** Possible duplicates, transfers and occurrences: list, join, separate, reject. */
export const matchRoutes = new Hono<App>()
  .get('/', query(matchQuery), async (c) => {
    return limitLargeResponse(c, maxMatches * 2, async () =>
      c.json(presentMatches(await listMatches(c.get('owner'), c.req.valid('query')))),
    )
  })
  .post('/join', bodyWith(joinRequest, maxJsonBytes, readJoin), async (c) => {
    const { one, several } = c.req.valid('json')
    if (!several) return c.json(presentTransaction(await joinMatch(c.get('owner'), one)))
    const outcomes = await joinMatches(c.get('owner'), several)
    return c.json<ShownJoined>({ outcomes: outcomes.map(presentJoin) })
  })
  .post('/separate', body(separation), async (c) => {
    const both = await separateMatch(c.get('owner'), c.req.valid('json'))
    return c.json<ShownSeparated>({ transactions: both.map(presentTransaction) })
  })
  .post('/reject', bodyWith(rejection, maxJsonBytes, readRejection), async (c) => {
    const { ofPair, ofOccurrence } = c.req.valid('json')
    if (ofOccurrence) await rejectOccurrence(c.get('owner'), ofOccurrence)
    else await rejectMatch(c.get('owner'), ofPair)
    return c.body(null, 204)
  })
  .delete('/reject', bodyWith(rejection, maxJsonBytes, readRejection), async (c) => {
    const { ofPair, ofOccurrence } = c.req.valid('json')
    if (ofOccurrence) await deleteOccurrenceRejection(c.get('owner'), ofOccurrence)
    else await deleteRejection(c.get('owner'), ofPair)
    return c.body(null, 204)
  })

/** A body with `pairs` holds several, any other one. */
function readJoin(input: unknown) {
  const hasSeveral = isObject(input) && 'pairs' in input
  return hasSeveral
    ? { one: null, several: toDraft(pairs, input) }
    : { one: toDraft(joinedPair, input), several: null }
}

/** A body with the kind `occurrence` has a transaction and an occurrence, any other one a pair. */
function readRejection(input: unknown) {
  const isOfOccurrence = isObject(input) && input.kind === 'occurrence'
  return isOfOccurrence
    ? { ofPair: null, ofOccurrence: toDraft(rejectedOccurrence, input) }
    : { ofPair: toDraft(pair, input), ofOccurrence: null }
}
