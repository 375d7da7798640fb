import { once } from 'node:events'
import { readdirSync, rmSync, statSync } from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { expect, test } from 'vitest'
import { freePort } from '../../dev/ports.ts'
import { runCommand } from './fixtures/run-command.ts'
import { healthOf, newPlace, type Place, portVariables, sharedPlace, start } from './fixtures/stack.ts'

test('the stack starts, lets no other use its state, ends cleanly on SIGTERM, starts again beside another and after a SIGKILL, and ends if its state folder is deleted', async () => {
  const neighbour = await sharedPlace()
  // If the developer's own frontend has the app's port, the stack runs without the app.
  const place = { ...(await newPlace()), APP_PORT: neighbour.PORT }
  const stack = await start(place).ready()
  expect(stack.output).toContain(`not here: port ${neighbour.PORT} is taken`)
  expect(await healthOf(place)).toBe(200)
  for (const port of portVariables) expect(stack.output).toContain(`http://127.0.0.1:${place[port]}`)
  expect(stack.leftovers()).not.toEqual([])

  const intruder = start({ ...(await newPlace()), STATE_DIR: place.STATE_DIR })
  expect(await intruder.exit()).toBe(1)
  expect(intruder.output.trim()).toMatch(
    /^error: a stack is already running on .* \(process \d+\).*STATE_DIR/,
  )
  expect(intruder.output.trim()).not.toContain('\n')

  // npm forwards a signal that the terminal has already sent.
  stack.signal('SIGTERM')
  stack.signal('SIGTERM')
  expect(await stack.exit(), stack.output).toBe(0)
  expect(await stack.nothingLeft()).toBe(true)
  expect(await busyPorts(place)).toEqual([])
  expect(filesOthersMayRead(place.STATE_DIR)).toEqual([])

  const killed = await start(place).ready()
  killed.signal('SIGKILL')
  await killed.exit()

  const APP_PORT = String(await freePort())
  const again = await start({ ...place, APP_PORT }).ready()
  expect(await killed.nothingLeft()).toBe(true)
  expect(await healthOf(place)).toBe(200)
  expect(again.output).toContain(`http://localhost:${APP_PORT}`)
  // The app is built on its first request.
  const page = await fetch(`http://localhost:${APP_PORT}/dashboard`)
  expect(await page.text()).toContain('<div id="app">')
  expect(await healthOf(neighbour)).toBe(200)
  rmSync(place.STATE_DIR, { recursive: true })
  expect(await again.exit()).toBe(1)
  expect(again.output).toMatch(/\nerror: the state folder .* was deleted while the stack ran, .*\n$/)
  expect(await again.nothingLeft()).toBe(true)
})

test('npm run seed starts a stack if there is none', async () => {
  const seed = await runCommand('seed', await newPlace())
  expect(seed.code, seed.stderr).toBe(0)
  expect(seed.stdout).toMatch(
    /^No stack is running on .* \(STATE_DIR\): starting one for as long as this takes \.\.\.\n\n/,
  )
})

test('a busy port and a wrong setting are each reported in one line, before anything starts', async () => {
  const place = await newPlace()
  const holder = net.createServer().listen(Number(place.MAIL_PORT), '127.0.0.1')
  await once(holder, 'listening')
  const refused = [
    { change: {}, line: `port ${place.MAIL_PORT} for the inbox is busy: .*MAIL_PORT` },
    { change: { PORT: 'abc' }, line: 'PORT must be a port from 1 to 65535, not "abc"' },
  ].map(({ change, line }) => ({ stack: start({ ...place, ...change }), line }))
  for (const { stack, line } of refused) {
    expect(await stack.exit()).toBe(1)
    expect(stack.output).toMatch(new RegExp(`^error: ${line}[^\\n]*\\n$`))
  }
  holder.close()
})

test('a setting that only the Worker finds wrong ends the start at once', async () => {
  const place = { ...(await newPlace()), APP_SECRET: 'short' }
  const stack = start(place)
  expect(await stack.exit()).toBe(1)
  expect(stack.output).toMatch(/\nerror: the Worker responds with 500: .*APP_SECRET: Use at least 32 .*\n$/)
})

async function busyPorts(place: Place): Promise<string[]> {
  const responses = portVariables.map(async (name) => {
    const socket = net.connect(Number(place[name]), '127.0.0.1')
    const busy = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    return busy ? [name] : []
  })
  return (await Promise.all(responses)).flat()
}

function filesOthersMayRead(directory: string): string[] {
  if (statSync(directory).mode & 0o077) return [directory]
  const secrets = readdirSync(directory).filter((name) => /secret|key$/.test(name))
  expect(secrets.sort()).toEqual(['app-secret', 'database-key', 'idp-client-secret'])
  return secrets.filter((name) => statSync(path.join(directory, name)).mode & 0o077)
}
