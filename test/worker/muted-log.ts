import { vi } from 'vitest'
import { secretsIn } from '../log-secrets.ts'

const levels = ['log', 'info', 'warn', 'error', 'debug'] as const
type Level = (typeof levels)[number]

const show = console.error.bind(console)

/**
 * Keeps log lines off the console until mocks are restored, and returns an array to which they are added. A line that
 * gives a secret away is still shown, so that the scan finds it (test/log-scan.ts).
 */
export function muteLog(muted: readonly Level[] = levels): string[] {
  const lines: string[] = []
  for (const level of muted) {
    vi.spyOn(console, level).mockImplementation((...args) => {
      const line = args.join(' ')
      lines.push(line)
      if (secretsIn(line).length > 0) show(line)
    })
  }
  return lines
}
