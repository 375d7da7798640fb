import type { Adapter, AdapterPayload } from 'oidc-provider'

type Entry = { payload: AdapterPayload; expiresAt: number }

const entriesKept = 20_000

/** Keeps the provider's codes, tokens and sessions in memory: the newest 20,000 that have not expired. */
export function createMemoryAdapter(now: () => number = Date.now): (model: string) => Adapter {
  const entries = new Map<string, Entry>()

  function get(key: string): AdapterPayload | undefined {
    const entry = entries.get(key)
    if (entry && entry.expiresAt > now()) return entry.payload
    entries.delete(key)
    return undefined
  }

  function set(key: string, entry: Entry): void {
    entries.delete(key)
    entries.set(key, entry)
    // The oldest go first, whatever they are: after 20,000 newer entries nobody needs them.
    for (const [oldest, { expiresAt }] of entries) {
      if (entries.size <= entriesKept && expiresAt > now()) break
      entries.delete(oldest)
    }
  }

  return (model) => ({
    async upsert(id, payload, expiresIn) {
      const expiresAt = expiresIn === undefined ? Number.POSITIVE_INFINITY : now() + expiresIn * 1000
      set(`${model}:${id}`, { payload, expiresAt })
    },
    async find(id) {
      return get(`${model}:${id}`)
    },
    // Tokens do not depend on sessions here, and there are no devices to sign in.
    async findByUid() {},
    async findByUserCode() {},
    async consume(id) {
      const payload = get(`${model}:${id}`)
      if (payload) payload.consumed = Math.floor(now() / 1000)
    },
    async destroy(id) {
      entries.delete(`${model}:${id}`)
    },
    async revokeByGrantId(grantId) {
      for (const [key, { payload }] of entries) {
        if (payload.grantId === grantId) entries.delete(key)
      }
    },
  })
}
