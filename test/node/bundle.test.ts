import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { maxBytes } from '../../dev/bundle.ts'

const root = join(import.meta.dirname, '../..')

test('the Worker is within its limit; `npm run bundle` fails for one over it, and says how large each environment is', () => {
  const limitBytes = 1_000
  const bundle = spawnSync('node', ['dev/bundle.ts', String(limitBytes)], { cwd: root, encoding: 'utf8' })
  expect(bundle.stderr).toContain('The Worker is larger than 1.0 KiB')
  expect(bundle.status).toBe(1)

  const sizes = [...bundle.stdout.matchAll(/^(\w+): .* \((\d+) bytes\)/gm)]
  expect(sizes.map(([, environment]) => environment)).toEqual(['staging', 'production'])
  for (const [, , bytes] of sizes) {
    expect(Number(bytes)).toBeGreaterThan(limitBytes)
    expect(Number(bytes)).toBeLessThanOrEqual(maxBytes)
  }
})
