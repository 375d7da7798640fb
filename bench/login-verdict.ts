import { percentile, rankSumP, shiftOf, smallestShiftFound } from './statistics.ts'

/** A difference counts if chance alone would produce it in at most one of a thousand runs. */
export const chance = 0.001
/** A smaller difference is lost in a network, given how few tries the login limit allows. */
export const mattersMs = 1
/** A run that could miss a leak of this share of a login proves nothing. */
export const finestPart = 0.05

/** Milliseconds of failed logins of one kind. */
export type Sample = { kind: string; times: number[] }

/** A kind compared with the first: how many milliseconds longer it takes, and how often chance alone does that. */
export type Compared = { kind: string; median: number; shift: number; p: number; differs: boolean }

export type Verdict = {
  compared: Compared[]
  /** The smallest leak, in milliseconds, that nine of ten such runs would find. */
  smallestLeak: number
  /** Why the run fails; empty if it found no leak and would have found one. */
  failures: string[]
}

/** Compares kinds with a first one. `control` is the first one again: any difference there is due to the machine. */
export function judgeLogins(first: Sample, others: Sample[], control: Sample): Verdict {
  const compare = ({ kind, times }: Sample): Compared => {
    const [p, shift] = [rankSumP(first.times, times), shiftOf(first.times, times)]
    return {
      kind,
      median: percentile(times, 50),
      shift,
      p,
      differs: p < chance && Math.abs(shift) >= mattersMs,
    }
  }
  const compared = others.map(compare)
  const again = compare(control)
  const smallestLeak = Math.max(mattersMs, smallestShiftFound(first.times, chance))
  const failures = compared
    .filter(({ differs }) => differs)
    .map(({ kind, shift }) => `LEAK: ${kind} takes ${Math.abs(shift).toFixed(1)} ms ${longer(shift)}`)
  if (again.differs)
    failures.push(`${control.kind} differs from itself: the machine was disturbed, run again`)
  if (smallestLeak > finestPart * percentile(first.times, 50)) {
    failures.push('The machine is too noisy for so few rounds: a leak that matters could have hidden')
  }
  return { compared: [...compared, again], smallestLeak, failures }
}

function longer(shift: number): string {
  return shift > 0 ? 'longer' : 'less'
}
