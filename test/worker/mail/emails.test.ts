import { describe, expect, test } from 'vitest'
import { renderMail } from '../../../src/mail/texts.ts'
import type { Mail } from '../../../src/queues/mails.ts'

const envelope = { id: 'one', to: 'ada@example.com', name: 'Ada' }
const url = 'https://api.purse.example/api/email/verify/1/ab?expires=1&signature=cd'
const unsubscribeUrl = 'https://api.purse.example/api/reminders/unsubscribe/1/ef'
const frontendUrl = 'https://purse.example'

const disownUrl = 'https://api.purse.example/api/email/disown/1/ab?expires=2&signature=ef'
const registeredAt = '2026-11-19T23:30:00.000Z'

const verify: Mail = { kind: 'verify_address', ...envelope, url, disownUrl, registeredAt }
/** As it was queued before the email had a second link. */
const oldVerify: Mail = { kind: 'verify_address', ...envelope, url }
const reset: Mail = { kind: 'reset_password', ...envelope, url }
const notAfter = '2026-11-20T22:00:00.000Z'
const reminder: Mail = { kind: 'reminder', ...envelope, frontendUrl, unsubscribeUrl, notAfter }
const rent = { day: '2026-12-01', title: 'Rent', amount: '1950.00', isAbout: false, from: 'Joint', to: null }
const due: Mail & { kind: 'due' } = {
  kind: 'due',
  ...{ ...envelope, frontendUrl, unsubscribeUrl },
  today: '2026-11-30',
  occurrences: [rent],
  more: 0,
}
const removed: Mail = { kind: 'password_removed', ...envelope, frontendUrl }
const farewell: Mail = { kind: 'farewell', ...envelope }
const made: Mail = {
  kind: 'token_made',
  ...envelope,
  tokenName: 'Monthly report',
  canWrite: false,
  expiresAt: '2027-05-20T10:00:00.000Z',
}
const approve: Mail = { kind: 'approve_address', ...envelope, newAddress: 'countess@example.com', url }
const change: Mail = { kind: 'change_address', ...envelope, url }
const changed: Mail = { kind: 'address_changed', ...envelope, restoreUrl: disownUrl }
const changedUnverified: Mail = { kind: 'address_changed', ...envelope }
const aboutAddress = [approve, change, changed, changedUnverified]
const every = [verify, oldVerify, reset, removed, reminder, due, ...aboutAddress, made, farewell].map(
  (mail) => [mail.kind, mail] as const,
)

/** HTML as a reader sees it: its text, without tags, with one space between words. */
function wordsOf(html: string): string {
  const entities: Record<string, string> = { '#39': "'", quot: '"', lt: '<', gt: '>', amp: '&' }
  const text = html
    .slice(html.indexOf('<body'))
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/&(#39|quot|lt|gt|amp);/g, (_, name) => entities[name] ?? '')
  return text.replaceAll(/\s+/g, ' ').trim()
}
const hrefsOf = (html: string) =>
  [...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href?.replaceAll('&amp;', '&'))

describe.each(every)('the email %s', (_, mail) => {
  test('has a subject, a text and an HTML part that say the same, each time it is rendered', () => {
    const { subject, text, html } = renderMail(mail)
    expect(renderMail({ ...mail })).toEqual(renderMail(mail))
    expect(subject).toMatch(/^[A-Z].{5,60}$/)
    expect(html).toMatch(/^<!doctype html>/)
    expect(html).toContain('<html lang="en">')
    const words = wordsOf(html)
    for (const paragraph of text.split('\n\n').filter((part) => !part.includes('\n'))) {
      expect(words).toContain(paragraph.trim())
    }
    expect(text).not.toMatch(/<\w|&\w+;/)
    expect(`${subject}${text}${html}`).not.toMatch(/undefined|null|\[object|NaN/)
  })

  test('loads nothing from elsewhere, and runs nothing', () => {
    expect(renderMail(mail).html).not.toMatch(/<(img|script|link|iframe|form)\b|@import|url\(/i)
  })

  test.each([
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    '</p></body></html>',
    '&lt;b&gt;',
  ])('lets no markup through from the name %s', (name) => {
    const { html, subject } = renderMail({ ...mail, name })
    expect(html).not.toMatch(/<script|<img|onmouseover='|<\/p><\/body><\/html>\s*,/)
    expect(html.match(/<\/body>/g)).toHaveLength(1)
    expect(html).not.toContain('Hello <')
    expect(html).not.toContain("Hello '")
    expect(subject).not.toContain(name)
  })

  test.each([
    'Win at https://evil.example now',
    'evil.example',
    'EVIL.EXAMPLE/login',
    'mailto:eve@evil.example',
    'eve@evil.example',
    'x'.repeat(61),
    'Ada,\n\nyour account is locked. Write to us.',
    'Ada\r\nBcc: eve@evil.example',
    'Ada, your account is locked - call 0800 123 456',
    'Ada (٠٨٠٠ ١٢٣)',
    // Lines and paragraphs of their own, text that runs backwards, and addresses that are not ASCII.
    'Ada,\u2028Your account is locked',
    'Ada,\u2029Your account is locked',
    'Ada,\u000BYour account is locked',
    'Ada \u202Egnihtyna',
    'пример.рф',
    'evil\u3002example',
  ])('does not pass on %j, which is not a name but a message', (name) => {
    const { subject, text, html } = renderMail({ ...mail, name })
    expect(text).toMatch(/^Hello,\n/)
    for (const part of [subject, text, html]) expect(part).not.toContain(name)
  })

  test.each([
    ...['Ada', 'Ada 1815', "Conan O'Brien", 'José Ñandú', '李小龍', 'Anne-Marie', 'محمد', 'A & B', '😀'],
  ])('greets %s', (name) => {
    const { text, html } = renderMail({ ...mail, name })
    expect(text.startsWith(`Hello ${name},\n`)).toBe(true)
    expect(wordsOf(html)).toContain(`Hello ${name},`)
  })
})

test('the verification email says when the address was registered, and how to undo it', () => {
  const { text, html } = renderMail(verify)
  expect(text).toContain('on 19 November 2026 (UTC).')
  expect(text.split('\n')).toContain(disownUrl)
  expect(hrefsOf(html)).toEqual([url, url, disownUrl])
  expect(wordsOf(html)).toContain('This was not me')
})

describe('the email about what becomes due', () => {
  const salary = {
    day: '2026-12-02',
    title: 'Salary\u2028 of  Ada',
    amount: '999999999999.99',
    isAbout: true,
    from: null,
    to: 'Joint',
  }
  const moved = {
    day: '2026-12-02',
    title: null,
    amount: '5.00',
    isAbout: false,
    from: 'Joint',
    to: 'Savings',
  }
  const mailOf = (occurrences: (typeof rent | typeof salary | typeof moved)[], more = 0) => {
    const [first = rent, ...others] = occurrences
    return renderMail({ ...due, occurrences: [first, ...others], more })
  }

  test('lists amounts and accounts by day, in words and as HTML', () => {
    const { text, html } = mailOf([rent, salary, moved])
    expect(text).toContain('\n\nTomorrow, Tuesday 1 December\n- Rent: 1,950.00 from Joint\n\n')
    const others = ['Wednesday 2 December', '- Salary of Ada: about 999,999,999,999.99 to Joint']
    expect(text).toContain([...others, '- Transfer: 5.00 from Joint to Savings'].join('\n'))
    const words =
      'Rent: 1,950.00 from Joint Wednesday 2 December Salary of Ada: about 999,999,999,999.99 to Joint'
    expect(wordsOf(html)).toContain(words)
    expect(mailOf([{ ...rent, day: '2026-11-29' }]).text).toContain('\n\nYesterday, Sunday 29 November\n')
    expect(mailOf([{ ...rent, day: '2026-11-28' }]).text).toContain('\n\nSaturday 28 November\n')
  })

  test('lets no markup through from descriptions and names of accounts', () => {
    const title = '<script>alert(1)</script>'
    const { html, text } = mailOf([{ ...rent, title, from: '"><img src=x onerror=alert(1)>' }])
    expect(html).not.toMatch(/<script|<img/)
    expect(wordsOf(html)).toContain(`${title}: 1,950.00 from "><img src=x onerror=alert(1)>`)
    expect(text).toContain(`- ${title}: `)
  })

  test.each([
    ['Due on 1 December: Rent', [rent], 0],
    ['Due on 1 December: Rent and 1 more', [rent, rent], 0],
    ['Due soon: Rent and 2 more', [rent, salary, moved], 0],
    ['Due soon: Rent and 180 more', [rent], 180],
    ['Due on 2 December: Transfer', [moved], 0],
    [`Due on 1 December: ${'\u{1F600}'.repeat(20)}…`, [{ ...rent, title: '\u{1F600}'.repeat(60) }], 0],
  ])('has the subject %s', (subject, occurrences, more) => {
    expect(mailOf(occurrences, more).subject).toBe(subject)
    expect(mailOf(occurrences, more).text.includes(`And ${more} more`)).toBe(more > 0)
  })
})

test('the email about a named token says what it may do, and its name unless that is a message', () => {
  const textOf = (changes: Partial<typeof made>) => renderMail({ ...made, ...changes } as Mail).text
  expect(textOf({})).toContain('A token named “Monthly report” has been made')
  expect(textOf({})).toContain('read everything that you have recorded, until 20 May 2027 (UTC).')
  expect(textOf({ canWrite: true })).toContain('read and change everything')
  expect(textOf({ tokenName: 'Win at https://evil.example' })).toContain('A token has been made')
})

describe('the link', () => {
  test.each([
    ['of a verification', oldVerify],
    ['of a reset', reset],
    ['of the confirmation of a change', approve],
    ['of a new address', change],
  ])('%s stands on a line of its own in the text, and behind a button in HTML', (_, mail) => {
    const { text, html } = renderMail(mail)
    expect(text.split('\n')).toContain(url)
    expect(hrefsOf(html)).toEqual([url, url])
    expect(wordsOf(html)).toContain(url)
    expect(text).toContain('60 minutes')
    expect(wordsOf(html)).toContain('60 minutes')
  })

  test('cannot leave its attribute', () => {
    const hostile = 'https://purse.example/?a="><script>alert(1)</script>&b=\''
    const { html } = renderMail({ ...reset, url: hostile } as Mail)
    expect(html).not.toContain('<script')
    expect(hrefsOf(html)[0]).toBe(
      'https://purse.example/?a=&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&b=&#39;',
    )
  })
})

describe('the reminder', () => {
  test('has the headers of a one-click unsubscribe (RFC 8058), and its link in both parts', () => {
    const { headers, text, html } = renderMail(reminder)
    expect(headers).toEqual({
      'List-Unsubscribe': `<${unsubscribeUrl}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    })
    expect(text.split('\n')).toContain(unsubscribeUrl)
    expect(hrefsOf(html)).toContain(unsubscribeUrl)
    expect(hrefsOf(html)).toContain(frontendUrl)
  })

  test('alone has them', () => {
    for (const mail of [verify, reset, farewell]) expect(renderMail(mail).headers).toBeUndefined()
  })

  test('says the same however late it is sent: two jobs at once send one email', () => {
    expect(renderMail({ ...reminder, notAfter: '2027-01-01T00:00:00.000Z' } as Mail)).toEqual(
      renderMail(reminder),
    )
  })
})

test('the reset email says what to do if it was not requested', () => {
  expect(renderMail(reset).text).toMatch(/not you/)
  expect(renderMail(verify).text).toMatch(/did not create an account/)
})
