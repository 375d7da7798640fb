import type { ApiResponse, CallOptions, Person, World } from '../fixtures/world.ts'

/** Sends a file, by default a CSV, as the body of an import: `to` is the rest of the path, such as `bank/store`. */
export function sendFile(
  { world, person }: { world: Pick<World, 'call'>; person: Pick<Person, 'token'> },
  to: string,
  rawBody: CallOptions['rawBody'],
  headers: Record<string, string> = {},
): Promise<ApiResponse> {
  const { token } = person
  const sent = { 'Content-Type': 'text/csv', ...headers }
  return world.call('POST', `/api/import/${to}`, { token, rawBody, headers: sent })
}

/** The counts of an import, those that are not given being zero. */
export const countsOf = (some: Record<string, number>) => ({
  ...{ created: 0, duplicate: 0, deleted_before: 0, possible: 0, occurrences: 0, categorised: 0, halves: 0 },
  ...some,
})
