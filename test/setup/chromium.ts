import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'

/** The system's browser, since we download none. */
const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
)

/**
 * For each window, Chromium loads two pages of its address bar, which takes half a second of CPU. The other entries are
 * from Playwright's list, which this one replaces.
 */
const unusedFeatures = [
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'AimEnabled', 'PreconnectToSearch', 'OptimizationHints'],
  ...['NetworkTimeServiceQuerying', 'MediaRouter', 'HttpsUpgrades', 'HttpsFirstBalancedModeAutoEnable'],
]
/** Switches off what a browser does on its own. */
const args = [
  ...['--no-sandbox', '--no-first-run', '--disable-gpu', `--disable-features=${unusedFeatures}`],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-quic'],
]

/** Whether there is a browser. */
export const hasBrowser = executablePath !== undefined

/** Starts it for one process. */
export const launch = () => chromium.launch(options([]))

/** Starts it for many processes. `names` map addresses to this machine, such as `localhost:5173 127.0.0.1:4000`. */
export const launchServer = (names: string[]) =>
  chromium.launchServer({ ...options(names), host: '127.0.0.1' })

const options = (names: string[]) => ({
  executablePath: executablePath ?? '',
  args: [...args, `--host-resolver-rules=${names.map((name) => `MAP ${name}`).join()}`],
})
