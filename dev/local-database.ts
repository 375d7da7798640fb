import { createPrivateKey, createPublicKey } from 'node:crypto'
import path from 'node:path'
import { SignJWT } from 'jose'
import { loopback } from './settings.ts'
import { startSqld } from './sqld/server.ts'
import { keepSecret } from './state-folder.ts'

/** The address of a database and the token that opens it, as @libsql/client expects them. */
export type DatabaseAddress = { url: string; authToken: string }

/** Starts the database of `npm run dev`, which is kept in the state folder. */
export function startLocalDatabase(stateDirectory: string, port: number) {
  const { x: authKey } = createPublicKey(keyOf(stateDirectory)).export({ format: 'jwk' })
  return startSqld({ directory: path.join(stateDirectory, 'sqld'), port, checkpointInterval: 60, authKey })
}

/**
 * The address of that database, whoever started it. It demands a token, as Turso does: sqld responds to any origin and
 * its SQL can read and write files, so an open port would give both to every web page that the developer visits.
 */
export async function localDatabase(stateDirectory: string, port: number): Promise<DatabaseAddress> {
  const authToken = await new SignJWT().setProtectedHeader({ alg: 'EdDSA' }).sign(keyOf(stateDirectory))
  return { url: `http://${loopback}:${port}`, authToken }
}

/** The PKCS #8 header of an Ed25519 key (RFC 8410). */
const pkcs8 = Buffer.from('302e020100300506032b657004220420', 'hex')

function keyOf(stateDirectory: string) {
  const seed = Buffer.from(keepSecret(path.join(stateDirectory, 'database-key')), 'base64url')
  return createPrivateKey({ key: Buffer.concat([pkcs8, seed]), format: 'der', type: 'pkcs8' })
}
