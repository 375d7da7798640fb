import { readFileSync } from 'node:fs'
import path from 'node:path'
import { projectDirectory } from './project.ts'

const wranglerToml = path.join(projectDirectory, 'wrangler.toml')
const minuteMs = 60_000

/**
 * Fires the Worker's crons when they are due, as Cloudflare does and `wrangler dev` does not. Calls `onFailure` if the
 * Worker cannot be reached. Returns a function that stops this.
 */
export function startCrons(workerUrl: string, onFailure: () => void): () => void {
  const crons = readCrons()
  const untilNextMinute = () => minuteMs - (Date.now() % minuteMs)
  let timer = setTimeout(function tick() {
    const now = new Date()
    for (const cron of crons.filter((one) => isDue(one, now)))
      fetch(`${workerUrl}/cdn-cgi/handler/scheduled?cron=${encodeURIComponent(cron)}`).catch(onFailure)
    timer = setTimeout(tick, untilNextMinute())
  }, untilNextMinute())
  return () => clearTimeout(timer)
}

/** True if a five-field cron is due in that minute (UTC). Knows only what we use: `*`, steps and numbers. */
export function isDue(cron: string, now: Date): boolean {
  const values = [
    now.getUTCMinutes(),
    now.getUTCHours(),
    now.getUTCDate(),
    now.getUTCMonth() + 1,
    now.getUTCDay(),
  ]
  return cron.split(' ').every((field, index) => {
    const value = values[index] ?? 0
    const step = /^\*\/(\d+)$/.exec(field)
    return field === '*' || Number(field) === value || (step !== null && value % Number(step[1]) === 0)
  })
}

/** The crons of the top level, the environment that `wrangler dev` runs. */
function readCrons(): string[] {
  const list = /^crons = (\[.*\])$/m.exec(readFileSync(wranglerToml, 'utf8'))
  return list?.[1] ? JSON.parse(list[1]) : []
}
