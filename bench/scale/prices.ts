/** What a million units cost in US dollars once a month's allowance is used up, and where that is published. */
export type Price = { name: string; dollars: number; source: string; read: string }

const cloudflare = 'https://developers.cloudflare.com'
const turso = {
  source: 'https://turso.tech/pricing',
  read: 'by a catalogue of 12 June 2026 (api-evangelist/turso@8cd9891), which names the overage of the free plan',
}

/** List prices of the paid plans. Whoever changes one runs `npm run bench:cost` again. */
export const prices = {
  requests: {
    name: 'Workers requests',
    dollars: 0.3,
    source: `${cloudflare}/workers/platform/pricing/`,
    read: 'the page’s source, cloudflare-docs@07acbb6',
  },
  cpuMs: {
    name: 'Workers CPU milliseconds',
    dollars: 0.02,
    source: `${cloudflare}/workers/platform/pricing/`,
    read: 'the page’s source, cloudflare-docs@07acbb6',
  },
  queueOperations: {
    name: 'Queues operations, three for each message',
    dollars: 0.4,
    source: `${cloudflare}/queues/platform/pricing/`,
    read: 'the page’s source, cloudflare-docs@96996fd',
  },
  logEvents: {
    name: 'Workers Logs events',
    dollars: 0.6,
    source: `${cloudflare}/workers/platform/pricing/`,
    read: 'the page’s source, cloudflare-docs@0ec9be2: until 1 December 2026; the price after that could not be read',
  },
  rowsRead: { name: 'Turso rows read', dollars: 0.001, ...turso },
  rowsWritten: { name: 'Turso rows written', dollars: 1, ...turso },
} satisfies Record<string, Price>

export type Unit = keyof typeof prices
/** How many units of each kind something takes. */
export type Usage = Record<Unit, number>

export const units = Object.keys(prices) as Unit[]

/** What a million times that usage costs, in dollars. */
export function dollarsPerMillionOf(usage: Usage): number {
  return units.reduce((sum, unit) => sum + usage[unit] * prices[unit].dollars, 0)
}

/** What a month of Turso's plans holds, from the same catalogue. */
export const tursoPlans = [
  { name: 'Developer', dollars: 4.99, rowsRead: 2_500_000_000, rowsWritten: 25_000_000 },
  { name: 'Scaler', dollars: 24.92, rowsRead: 100_000_000_000, rowsWritten: 100_000_000 },
  { name: 'Pro', dollars: 416.58, rowsRead: 250_000_000_000, rowsWritten: 250_000_000 },
]
