import { expect, test } from 'vitest'
import { frontendUrl, portsOf, readSettings } from '../../dev/settings.ts'

const read = (environment: Record<string, string>) => readSettings(environment, '/projects/purse')
const ports = (environment: Record<string, string>) => portsOf(read(environment)).map(({ port }) => port)

test('an empty environment means the documented ports and state folder', () => {
  expect(ports({})).toEqual([8787, 8080, 8025, 8026])
  expect(read({}).stateDirectory).toBe('/projects/purse/.local')
  expect(ports({ PORT: '', LIBSQL_PORT: '9001' })).toEqual([8787, 9001, 8025, 8026])
  expect(read({ STATE_DIR: 'a b/c' }).stateDirectory).toBe('/projects/purse/a b/c')
})

test('a service named by the environment takes the place of the local part', () => {
  expect(ports({ TURSO_DATABASE_URL: 'libsql://purse.turso.io', TURSO_AUTH_TOKEN: 't' })).toEqual([
    8787, 8025, 8026,
  ])
  expect(ports({ RESEND_API_KEY: 're_1' })).toEqual([8787, 8080, 8026])
  expect(ports({ IDP_ISSUER: 'https://idp.example', IDP_CLIENT_ID: 'c', IDP_CLIENT_SECRET: 's' })).toEqual([
    8787, 8080, 8025,
  ])
})

test('links lead to the example app, unless the environment names another frontend', () => {
  const url = (environment: Record<string, string>) => frontendUrl(read(environment))
  expect(url({})).toBe('http://localhost:5173')
  expect(url({ FRONTEND_URL: '', APP_PORT: '3000' })).toBe('http://localhost:3000')
  expect(url({ FRONTEND_URL: 'https://mine.example', APP_PORT: '3000' })).toBe('https://mine.example')
  expect(() => read({ APP_PORT: '8025' })).toThrow('the inbox and the app cannot both use port 8025')
})

test('with HOST, devices find the parts under the host name of APP_URL, or else under the address to listen on', () => {
  const hosts = (environment: Record<string, string>) => {
    const settings = read(environment)
    return [settings.appUrl, settings.publicHost, frontendUrl(settings)]
  }
  expect(hosts({ HOST: '192.0.2.9', PORT: '9000' })).toEqual([
    'http://192.0.2.9:9000',
    '192.0.2.9',
    'http://192.0.2.9:5173',
  ])
  expect(hosts({ HOST: '0.0.0.0', APP_URL: 'http://laptop.test:8787' })).toEqual([
    'http://laptop.test:8787',
    'laptop.test',
    'http://laptop.test:5173',
  ])
})

test.each([
  [{ IDP_PORT: '70000' }, 'IDP_PORT must be a port from 1 to 65535, not "70000".'],
  [{ HOST: 'laptop' }, 'HOST must be an IP address, such as 0.0.0.0, not "laptop".'],
  [{ MAIL_PORT: '8787' }, 'the Worker and the inbox cannot both use port 8787: change PORT or MAIL_PORT.'],
  [
    { TURSO_DATABASE_URL: 'file:purse.db' },
    'TURSO_DATABASE_URL must begin with libsql://, https:// or http://.',
  ],
  [
    { TURSO_DATABASE_URL: 'libsql://ada:pass@purse.turso.io' },
    'TURSO_DATABASE_URL must not contain a user or password: the token goes into TURSO_AUTH_TOKEN.',
  ],
  [
    { IDP_ISSUER: 'https://idp.example' },
    'IDP_ISSUER, IDP_CLIENT_ID, IDP_CLIENT_SECRET go together: set IDP_CLIENT_ID and IDP_CLIENT_SECRET too, or none of them.',
  ],
])('%j is refused by name', (environment, message) => {
  expect(() => read(environment as Record<string, string>)).toThrow(message)
})
