import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buildApp } from './app.ts'
import { projectDirectory, referenceDirectory } from './project.ts'

/** The directory of the assets of deployed environments. */
const siteDirectory = join(projectDirectory, 'dist/site')

/** Builds what a deployed Worker serves besides the API: the reference, and with `hasApp` the example app around it. */
export async function buildSite({ hasApp }: { hasApp: boolean }): Promise<void> {
  await rm(siteDirectory, { recursive: true, force: true })
  if (hasApp) await buildApp(siteDirectory, '')
  const headers = join(siteDirectory, '_headers')
  const ofApp = hasApp ? await readFile(headers, 'utf8') : ''
  // With the app, `/` is its page; without it, `/` redirects to the reference.
  const filter = (path: string) => !(hasApp && path.endsWith('_redirects'))
  await cp(referenceDirectory, siteDirectory, { recursive: true, filter })
  await writeFile(headers, `${await readFile(headers, 'utf8')}${ofApp}`)
}
