// `npm run audit`: asks the registry for known vulnerabilities of the installed packages, and exits with 1 if one is
// severe. npm's own audit also does so if the registry does not answer; here that is reported, but is not a failure.
import { execFile } from 'node:child_process'

/** Vulnerabilities of these severities fail; the others are only counted. */
const failing = ['high', 'critical']

export type Audit = { exitCode: 0 | 1; outcome: string }

/** Runs `npm audit` in a project and returns its verdict. */
export async function audit(directory: string): Promise<Audit> {
  const output = await new Promise<string>((resolve) => {
    execFile('npm', ['audit', '--json'], { cwd: directory, maxBuffer: 64 * 1024 * 1024 }, (_, stdout) =>
      resolve(stdout),
    )
  })
  return read(output)
}

function read(output: string): Audit {
  const report = parse(output)
  if (!report.vulnerabilities) {
    const reason = report.message ?? 'npm gave no report'
    return {
      exitCode: 0,
      outcome: `Audit: could not ask the registry (${reason}). Nothing is known either way.`,
    }
  }
  const found = Object.values(report.vulnerabilities)
  const bad = found.filter(({ severity }) => failing.includes(severity))
  const packages = bad.map(({ name, severity, range }) => `${name} ${range} (${severity})`).join(', ')
  if (bad.length > 0) return { exitCode: 1, outcome: `Audit: vulnerable: ${packages}. See npm audit.` }
  const milder = found.length > 0 ? `, ${found.length} of lower severity` : ''
  return { exitCode: 0, outcome: `Audit: no vulnerability of high or critical severity${milder}.` }
}

type Report = {
  vulnerabilities?: Record<string, { name: string; severity: string; range: string }>
  message?: string
}

function parse(output: string): Report {
  try {
    return JSON.parse(output)
  } catch {
    return {}
  }
}

if (import.meta.main) {
  const { exitCode, outcome } = await audit(process.cwd())
  console.log(outcome)
  process.exitCode = exitCode
}
