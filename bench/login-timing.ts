// `npm run bench:login [-- rounds]`: does the time of a failed login reveal whether an address is registered? Each round
// makes one failed login of each kind, in random order, at the password cost of a deployment. Writes the table into
// docs/security.md. Exits with 1 if a kind differs, or if the machine is too noisy to tell.
import { createClient } from '@libsql/client/http'
import { projectDirectory } from '../dev/project.ts'
import { Connection } from './connection.ts'
import { writeSection } from './document.ts'
import { type Kind, type Logins, verdictOn } from './login-verdict.ts'
import { password } from './requests.ts'
import {
  bundleVersion,
  type CountedService,
  inDirectory,
  type Service,
  startCountedService,
  startService,
} from './service.ts'
import { shuffle } from './statistics.ts'

const rounds = Number(process.argv[2] ?? 200)
const warmUpRounds = 5
/** Of equal length, so that they differ in nothing else. */
const addresses: Record<Kind, string> = {
  'a wrong password': 'with@example.com',
  'an unknown address': 'none@example.com',
  'a user without a password': 'sans@example.com',
  'a wrong password again': 'with@example.com',
}

await inDirectory(async (directory) => {
  const version = bundleVersion(projectDirectory, directory)
  await registerUsers(await startCountedService(version))
  const service = await startService(version)
  const { text, failures } = verdictOn(await measure(service))
  await service.stop()
  console.log(text)
  for (const failure of failures) console.log(failure)
  if (failures.length > 0) process.exitCode = 1
  else writeSection('docs/security.md', 'login timing', text)
})

async function registerUsers(service: CountedService): Promise<void> {
  const connection = new Connection(service.api)
  for (const name of ['with', 'sans']) {
    const body = { name, email: `${name}@example.com`, password, password_confirmation: password }
    await connection.send({ method: 'POST', path: '/api/register', status: 201, body })
  }
  // As if this user had only ever signed in through the identity provider.
  const database = createClient({ url: service.databaseUrl })
  await database.execute("update users set password_hash = null where email = 'sans@example.com'")
  database.close()
  await connection.close()
  await service.stop()
}

/** Milliseconds of each failed login, by its kind. */
async function measure(service: Service): Promise<Logins> {
  const connection = new Connection(service.api)
  const kinds = Object.keys(addresses) as Kind[]
  const times = Object.fromEntries(kinds.map((kind) => [kind, [] as number[]])) as Logins
  let logins = 0
  for (let round = -warmUpRounds; round < rounds; round++) {
    shuffle(kinds)
    for (const kind of kinds) {
      const { ms } = await connection.send({
        method: 'POST',
        path: '/api/login',
        status: 422,
        body: { email: addresses[kind], password: 'not the password' },
        // A new client address each time, since logins are limited by address.
        clientAddress: `10.0.${logins >> 8}.${logins++ & 255}`,
      })
      if (round >= 0) times[kind].push(ms)
    }
  }
  await connection.close()
  return times
}
