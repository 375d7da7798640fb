import { readFileSync } from 'node:fs'
import path from 'node:path'

const wranglerToml = path.join(import.meta.dirname, '../wrangler.toml')
const minuteMs = 60_000

/** Fires the Worker's cron triggers when they are due, as Cloudflare does and `wrangler dev` does not. Answers how to stop. */
export function startCrons(workerUrl: string): () => void {
  const crons = readCrons()
  const fireDue = () => {
    const now = new Date()
    for (const cron of crons.filter((one) => isDue(one, now))) void fire(workerUrl, cron)
  }
  let timer = setTimeout(function tick() {
    fireDue()
    timer = setTimeout(tick, untilNextMinute())
  }, untilNextMinute())
  return () => clearTimeout(timer)
}

/** True in the minutes (UTC) that a cron of five fields names; knows `*`, steps and numbers, which is what we use. */
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

/** The crons of the top level, which is what `wrangler dev` runs. */
function readCrons(): string[] {
  const list = /^crons = (\[.*\])$/m.exec(readFileSync(wranglerToml, 'utf8'))
  return list?.[1] ? JSON.parse(list[1]) : []
}

async function fire(workerUrl: string, cron: string): Promise<void> {
  // The Worker says itself what a run did; one that cannot be reached is said by the stack.
  await fetch(`${workerUrl}/cdn-cgi/handler/scheduled?cron=${encodeURIComponent(cron)}`).catch(
    () => undefined,
  )
}

function untilNextMinute(): number {
  return minuteMs - (Date.now() % minuteMs)
}
