import { generateKeyPair, randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { JWKS } from 'oidc-provider'
import { asObject, parseJson } from '../web/body.ts'

/** The provider's signing keys: made once and kept in the folder, so that tokens outlive a restart. */
export async function signingKeys(directory: string): Promise<JWKS> {
  const path = join(directory, 'signing-keys.json')
  const kept = asObject(parseJson(await readFile(path, 'utf8').catch(() => '')))
  if (Array.isArray(kept?.keys) && kept.keys.length > 0) return kept as unknown as JWKS
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 })
  const jwks = {
    keys: [{ ...privateKey.export({ format: 'jwk' }), kid: randomUUID(), alg: 'RS256', use: 'sig' }],
  } as JWKS
  await mkdir(directory, { recursive: true })
  await writeFile(`${path}.draft`, JSON.stringify(jwks), { mode: 0o600 })
  await rename(`${path}.draft`, path)
  return jwks
}
