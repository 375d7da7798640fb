import { describe, expect, test } from 'vitest'
import {
  addressLink,
  isAddressLink,
  isUnsubscribeLink,
  type LinkParts,
  unsubscribeLink,
} from '../../../src/shared/links.ts'

const base = { appUrl: 'https://api.purse.example', secret: 'a secret, long enough to be one indeed' }
const ada = { id: 7, email: 'ada@example.com' }
const now = new Date('2026-11-20T12:00:00.000Z')
const later = (ms: number) => new Date(now.getTime() + ms)

/** The parts of a link in a verification email, as the route splits it. */
function partsOf(link: string) {
  const { pathname, searchParams } = new URL(link)
  const [, id = '', hash = ''] = /^\/api\/email\/\w+\/([^/]+)\/([^/]+)$/.exec(pathname) ?? []
  return {
    id,
    hash,
    expires: searchParams.get('expires') ?? '',
    signature: searchParams.get('signature') ?? '',
  }
}
const adas = async () => partsOf(await addressLink(base, 'verify', ada, now))
const isVerificationLink = (secret: string, link: LinkParts, user: typeof ada, at: Date) =>
  isAddressLink(secret, 'verify', link, user, at)

describe('a verification link', () => {
  test('has the form that the contract specifies', async () => {
    expect(await addressLink(base, 'verify', ada, now)).toMatch(
      /^https:\/\/api\.purse\.example\/api\/email\/verify\/7\/[0-9a-f]{40,}\?expires=1795179600&signature=[0-9a-f]{64}$/,
    )
  })

  test('is good for 60 minutes', async () => {
    const link = await adas()
    expect(await isVerificationLink(base.secret, link, ada, now)).toBe(true)
    expect(await isVerificationLink(base.secret, link, ada, later(3_599_999))).toBe(true)
    expect(await isVerificationLink(base.secret, link, ada, later(3_600_001))).toBe(false)
  })

  test('is for this user and this address', async () => {
    const link = await adas()
    expect(await isVerificationLink(base.secret, link, { ...ada, id: 8 }, now)).toBe(false)
    expect(await isVerificationLink(base.secret, link, { ...ada, email: 'eve@example.com' }, now)).toBe(false)
    const eves = { id: 8, email: ada.email }
    expect(await isVerificationLink(base.secret, { ...link, id: '8' }, eves, now)).toBe(false)
  })

  test('has no part that could be used in another one', async () => {
    const link = await adas()
    const moved = [
      { ...link, hash: `${link.hash}?expires=${link.expires}`, expires: '' },
      { ...link, expires: `${link.expires}0` },
      { ...link, expires: ` ${link.expires}` },
      { ...link, expires: `+${link.expires}` },
      { ...link, id: `${link.id}/${link.hash}`, hash: '' },
      { ...link, signature: '' },
    ]
    for (const parts of moved) expect(await isVerificationLink(base.secret, parts, ada, now)).toBe(false)
  })

  test('differs with the secret', async () => {
    expect(await isVerificationLink(`${base.secret}.`, await adas(), ada, now)).toBe(false)
  })
})

describe('a link "this was not me"', () => {
  const dayMs = 86_400_000
  test('is good for thirty days, and for nothing else', async () => {
    const link = partsOf(await addressLink(base, 'disown', ada, now))
    expect(await isAddressLink(base.secret, 'disown', link, ada, later(30 * dayMs - 1))).toBe(true)
    expect(await isAddressLink(base.secret, 'disown', link, ada, later(30 * dayMs + 1))).toBe(false)
    expect(await isAddressLink(base.secret, 'verify', link, ada, now)).toBe(false)
    expect(await isAddressLink(base.secret, 'disown', await adas(), ada, now)).toBe(false)
  })
})

describe('an unsubscribe link', () => {
  const signatureOf = async (id: number) => (await unsubscribeLink(base, id)).split('/').at(-1) ?? ''

  test('is for one user, and does not expire', async () => {
    expect(await unsubscribeLink(base, 7)).toMatch(
      /^https:\/\/api\.purse\.example\/api\/reminders\/unsubscribe\/7\/[0-9a-f]{64}$/,
    )
    expect(await isUnsubscribeLink(base.secret, '7', await signatureOf(7))).toBe(true)
  })

  test('is not for another user, however the id is written', async () => {
    const signature = await signatureOf(7)
    for (const id of ['8', '07', '7.0', ' 7', '7 ', '+7', '77', '']) {
      expect(await isUnsubscribeLink(base.secret, id, signature)).toBe(false)
    }
  })

  test('has a signature of its own kind', async () => {
    const { signature } = await adas()
    expect(await isUnsubscribeLink(base.secret, '7', signature)).toBe(false)
    const link = { ...(await adas()), signature: await signatureOf(7) }
    expect(await isVerificationLink(base.secret, link, ada, now)).toBe(false)
  })
})
