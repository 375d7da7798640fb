import type { Adapter, AdapterPayload } from 'oidc-provider'

const entriesKept = 20_000

/** Keeps the newest 20,000 of the provider's codes, tokens and sessions in memory. The provider checks their expiry. */
export function createMemoryAdapter(): (model: string) => Adapter {
  const entries = new Map<string, AdapterPayload>()
  return (model) => ({
    async upsert(id, payload) {
      entries.set(`${model}:${id}`, payload)
      const [oldest] = entries.keys()
      if (entries.size > entriesKept && oldest !== undefined) entries.delete(oldest)
    },
    async find(id) {
      return entries.get(`${model}:${id}`)
    },
    // Tokens do not depend on sessions here, and there are no devices to sign in.
    async findByUid() {},
    async findByUserCode() {},
    async consume(id) {
      const payload = entries.get(`${model}:${id}`)
      if (payload) payload.consumed = Math.floor(Date.now() / 1000)
    },
    async destroy(id) {
      entries.delete(`${model}:${id}`)
    },
    async revokeByGrantId(grantId) {
      for (const [key, payload] of entries) if (payload.grantId === grantId) entries.delete(key)
    },
  })
}
