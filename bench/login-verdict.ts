import { chanceOfShift, percentile, shiftOf } from './statistics.ts'
import { figure, table } from './tables.ts'

/** No kind may take longer than the first. The last is the first again: it shows what the machine does. */
export type Kind =
  | 'a wrong password'
  | 'an unknown address'
  | 'a user without a password'
  | 'a wrong password again'

/** Milliseconds of failed logins, by their kind. */
export type Logins = Record<Kind, number[]>

/** A difference counts if chance alone would produce it in at most one of a thousand runs. */
const maxChance = 0.001
/** A smaller difference is lost in a network, given how few tries the login limit allows. */
const minMs = 1
/** The machine is too noisy if a kind differs from itself by more than this share of a login. */
const maxNoise = 0.05

/** A table of the kinds, and why the run fails: empty if no kind differs and the machine was quiet. */
export function verdictOn(times: Logins): { text: string; failures: string[] } {
  const first = times['a wrong password']
  const compared = (Object.keys(times) as Kind[])
    .filter((kind) => times[kind] !== first)
    .map((kind) => {
      const [shift, chance] = [shiftOf(first, times[kind]), chanceOfShift(first, times[kind])]
      return { kind, shift, chance, differs: chance < maxChance && Math.abs(shift) >= minMs }
    })
  const rows = compared.map(({ kind, shift, chance }) => [
    kind,
    figure(percentile(times[kind], 50), 1),
    figure(shift, 2),
    figure(chance, 3),
  ])
  const head = ['failed login', 'median ms', 'takes longer by ms', 'chance alone does that (p)']
  const text = `${table(head, [['a wrong password', figure(percentile(first, 50), 1), '', ''], ...rows])}\n\n${first.length} failed logins of each kind.`
  const noise = Math.abs(shiftOf(first, times['a wrong password again']))
  if (noise > maxNoise * percentile(first, 50))
    return { text, failures: ['The machine is too noisy to tell: run again'] }
  const failures = compared
    .filter(({ differs }) => differs)
    .map(
      ({ kind, shift }) =>
        `LEAK: ${kind} takes ${figure(Math.abs(shift), 1)} ms ${shift > 0 ? 'longer' : 'less'}`,
    )
  return { text, failures }
}
