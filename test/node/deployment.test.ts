import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { unstable_readConfig as readConfig } from 'wrangler'
import { perMinute } from '../../src/domain/rate-limits.ts'
import { projectDirectory } from './stack.ts'

type RateLimit = { name: string; namespace_id: string; simple: { limit: number; period: number } }

function configurationOf(env: string) {
  const { ratelimits, vars, limits } = readConfig(
    { config: path.join(projectDirectory, 'wrangler.toml'), env },
    { hideWarnings: true },
  )
  return { ratelimits: ratelimits as RateLimit[], vars, limits }
}

describe.each(['', 'staging', 'production'])('the environment "%s"', (env) => {
  const configuration = configurationOf(env)

  test('counts what the code says that it counts, in a minute each, by ids of its own', () => {
    const { ratelimits } = configuration
    const limits = ratelimits.map(({ name, simple }) => [name, simple])
    expect(Object.fromEntries(limits)).toEqual(
      Object.fromEntries(Object.entries(perMinute).map(([name, limit]) => [name, { limit, period: 60 }])),
    )
    const elsewhere = ['', 'staging', 'production']
      .filter((other) => other !== env)
      .flatMap((other) => configurationOf(other).ratelimits.map(({ namespace_id }) => namespace_id))
    for (const { namespace_id } of ratelimits) expect(elsewhere).not.toContain(namespace_id)
  })

  test('has the general limit switched on, and no run without an end', () => {
    expect(configuration.vars.GENERAL_LIMIT_ENABLED).toBe('true')
    expect(configuration.limits).toEqual({ cpu_ms: 10_000 })
  })
})
