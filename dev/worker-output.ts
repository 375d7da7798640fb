import { stripVTControlCharacters } from 'node:util'

// What wrangler prints about itself on every start. The stack prints the addresses once everything is up.
const noise = [
  /^Using secrets defined in /,
  /^⎔ Starting local server/,
  /^\[wrangler:info\] Ready on /,
  /^Cloudflare collects anonymous telemetry /, // said even when it is switched off
  /^⎔ Connection status updated/,
  // The stack fires them itself (crons.ts).
  /Scheduled Workers are not automatically triggered/,
  /^\s*To manually trigger a scheduled event/,
  /^\s*curl ".*\/scheduled"/,
  /^\s*For more details, see .*cron-triggers/,
  // The Worker's own line for a request says more, except for unknown paths.
  /^\[wrangler:info\] \w+ \/api\/\S* (?!404|405)/,
  // Asked at every start, and by whatever watches the stack.
  /^\{"event":"request",.*"route":"\/api\/health","status":200,/,
  // Cron runs that found nothing to do: one every minute.
  /^\{"event":"cron",.*"did":\{("\w+":0,?)*\}/,
]
const bindingsTable = /^Your Worker has access to the following bindings/

/** Makes a filter for one stream of wrangler's lines: the line to print, or undefined for noise. */
export function workerOutputFilter(): (line: string) => string | undefined {
  let insideTable = false
  let lastWasEmpty = true
  return (line) => {
    const plain = stripVTControlCharacters(line).trimEnd()
    if (bindingsTable.test(plain)) insideTable = true
    if (insideTable) {
      insideTable = plain !== ''
      return undefined
    }
    if (noise.some((pattern) => pattern.test(plain))) return undefined
    const repeatsEmpty = plain === '' && lastWasEmpty
    lastWasEmpty = plain === ''
    return repeatsEmpty ? undefined : line.replace(/^\[wrangler:info\] /, '')
  }
}

/** What is wrong with the Worker's variables, if the line says so (src/config.ts). */
export function configurationFault(line: string): string | undefined {
  const plain = stripVTControlCharacters(line)
  const start = plain.indexOf('{"event":"not configured"')
  if (start < 0) return undefined
  const { problem } = JSON.parse(plain.slice(start)) as { problem: string }
  return problem
}

/** True if the source does not compile. wrangler lists the errors below this line, and tries again after each edit. */
export function saysThatBuildFailed(line: string): boolean {
  return /Build failed with \d+ error/.test(line)
}
