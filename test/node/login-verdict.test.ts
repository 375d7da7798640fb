import { expect, test } from 'vitest'
import { verdictOn } from '../../bench/login-verdict.ts'
import { chanceOfShift } from '../../bench/statistics.ts'
import { Dice } from '../dice.ts'

/** Logins of about that many milliseconds each, one in ten of which takes up to three times as long. */
function logins(ms: number, seed: number): number[] {
  const dice = new Dice(seed)
  const late = () => (dice.happens(0.1) ? 2 * ms * dice.roll() : 0)
  return Array.from({ length: 100 }, () => ms + 4 * dice.roll() + late())
}

const withUnknown = (ms: number, control = 120) =>
  verdictOn({
    'a wrong password': logins(120, 1),
    'an unknown address': logins(ms, 2),
    'a user without a password': logins(120, 3),
    'a wrong password again': logins(control, 4),
  })

test('chance alone explains the shift of equal samples, not that of three milliseconds', () => {
  const chance = (ms: number, seed: number) => {
    const dice = new Dice(1)
    return chanceOfShift(logins(120, seed), logins(ms, seed + 1), () => dice.roll())
  }
  expect(Math.min(...[10, 20, 30].map((seed) => chance(120, seed)))).toBeGreaterThan(0.01)
  expect(chance(123, 1)).toBeLessThan(0.001)
})

test('logins that take equally long are no leak', () => {
  expect(withUnknown(120).failures).toEqual([])
})

test.each([0.8, 1.03, 1.1])('it is a leak where an unknown address takes %f of the time', (part) => {
  expect(withUnknown(120 * part).failures).toEqual([
    expect.stringMatching(/^LEAK: an unknown address takes [\d.]+ ms (longer|less)$/),
  ])
})

test('a machine on which a kind differs from itself tells nothing', () => {
  expect(withUnknown(120, 150).failures).toEqual([expect.stringContaining('too noisy')])
})
