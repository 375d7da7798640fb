import { expect, test } from 'vitest'
import { isDue } from '../../dev/crons.ts'

test.each([
  ['* * * * *', '2026-11-20T10:07:00Z', true],
  ['*/5 * * * *', '2026-11-20T10:05:30Z', true],
  ['*/5 * * * *', '2026-11-20T10:07:00Z', false],
  ['17 * * * *', '2026-11-20T10:17:00Z', true],
  ['17 * * * *', '2026-11-20T10:18:00Z', false],
  ['0 3 * * 1', '2026-11-23T03:00:00Z', true],
  ['0 3 * * 1', '2026-11-24T03:00:00Z', false],
])('the cron %s at %s: %s', (cron, now, expected) => {
  expect(isDue(cron, new Date(now))).toBe(expected)
})
