// `npm run bench:client`: what the example app costs in Chromium, with its client and its ledger, on devices of users with
// 1,000, 10,000 and 100,000 transactions, near the service and far from it. Writes the results and the table of
// docs/scale.md. `-- --quick` only shows that it works, and writes nothing.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { startApp } from '../dev/app.ts'
import { freePort } from '../dev/ports.ts'
import { projectDirectory } from '../dev/project.ts'
import { hasBrowser, launch } from '../test/setup/chromium.ts'
import { clientReport, clientTable, type DeviceResults } from './client-report.ts'
import { Connection } from './connection.ts'
import { measureDevice } from './device.ts'
import { writeSection } from './document.ts'
import { type FarNetwork, startFarNetwork } from './far-network.ts'
import { extendHistory } from './history.ts'
import { registerHousehold } from './requests.ts'
import {
  bundleVersion,
  commitOf,
  inDirectory,
  say,
  startCountedService,
  startService,
  type Version,
} from './service.ts'

const { values: options } = parseArgs({ options: { quick: { type: 'boolean', default: false } } })
const uploaded = 1_000
const histories = options.quick ? [1_000] : [1_000, 10_000, 100_000]
const host = '127.0.0.1'
const farMs = 100
const slowdown = 4

await inDirectory(async (directory) => {
  if (!hasBrowser) throw new Error('There is no Chromium (test/setup/chromium.ts).')
  const bundled = bundleVersion(projectDirectory, directory)
  const network = await startFarNetwork(await freePort())
  const app = await startApp({ port: 0, host, directory: path.join(directory, 'app'), apiUrl: network.url })
  const browser = await launch()
  // Another origin than the API's, so that there are preflights.
  const place = { browser, network, app: app.url.replace(host, 'localhost') }
  // Builds the app, which is no part of what is measured.
  await (await fetch(app.url)).text()
  const results: DeviceResults[] = []
  for (const transactions of histories) {
    say(`${transactions} transactions`)
    const { household, stop } = await startHousehold(transactions, network, {
      ...bundled,
      state: path.join(directory, String(transactions)),
    })
    const measure = (latencyMs: number, slowdown: number) => {
      say(`${latencyMs} ms away, ${slowdown} times slower`)
      network.place.latencyMs = latencyMs
      return measureDevice({ ...place, household, slowdown })
    }
    results.push({
      transactions,
      near: await measure(0, 1),
      far: await measure(farMs, 1),
      slow: transactions === histories.at(-1) ? await measure(0, slowdown) : undefined,
    })
    await stop()
  }
  await browser.close()
  await app.close()
  network.close()
  const text = clientReport(results, commitOf(projectDirectory))
  console.log(text)
  if (options.quick) return
  writeFileSync(path.join(import.meta.dirname, 'results/client.md'), text)
  writeSection('docs/scale.md', 'client', clientTable(results))
})

/** Starts a service behind the network, with a user who has so many transactions. */
async function startHousehold(transactions: number, network: FarNetwork, version: Version) {
  const counted = await startCountedService(version)
  const household = await registerHousehold(counted, uploaded)
  await extendHistory(counted, uploaded, transactions)
  await counted.stop()
  const service = await startService(version)
  network.place.target = service.api
  const connection = new Connection(service.api)
  const { token } = household
  const { id: userId } = await connection.json({ method: 'GET', path: '/api/me', status: 200, token })
  await connection.close()
  return { household: { token, userId }, stop: service.stop }
}
