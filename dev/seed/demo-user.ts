import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { DevError } from '../dev-error.ts'
import { type Api, demand, openApi } from './api.ts'

export const demoUser = { name: 'Maya Lindqvist', email: 'maya@example.com', password: 'demo-household' }

const mailLimitMs = 30_000
const askAgainMs = 100

const signedInSchema = z.object({ access_token: z.string(), email_verified: z.boolean() })
const listSchema = z.object({ data: z.array(z.object({ id: z.string() })) })
const mailSchema = z.object({ text: z.string() })

/** Signs in the demo user, registering and verifying them first if necessary, and returns the token. */
export async function signInDemoUser(address: string, inbox: string): Promise<string> {
  const api = openApi(address)
  const earlier = await newestVerificationMail(inbox)
  const login = await api('POST /login', demoUser)
  const isNew = login.status === 422
  const { access_token, email_verified } = signedInSchema.parse(isNew ? await register(api) : login.body)
  if (email_verified) return access_token
  // The link in an earlier email may have expired.
  if (!isNew) await demand(openApi(address, access_token), 'POST /email/verification-notification')
  await followLink(address, await newLink(inbox, earlier))
  return access_token
}

async function register(api: Api): Promise<unknown> {
  const { status, body } = await api('POST /register', {
    ...demoUser,
    password_confirmation: demoUser.password,
  })
  if (status === 201) return body
  throw new DevError(
    `${demoUser.email} could not be registered (${status}): if it has another password by now, ` +
      'reset it, or start afresh with another STATE_DIR.',
  )
}

async function newLink(inbox: string, earlier: string | undefined): Promise<string> {
  for (const deadline = Date.now() + mailLimitMs; Date.now() < deadline; await sleep(askAgainMs)) {
    const id = await newestVerificationMail(inbox)
    if (!id || id === earlier) continue
    const { text } = mailSchema.parse(await fromInbox(`${inbox}/emails/${id}`))
    return /https?:\S+/.exec(text)?.[0] ?? ''
  }
  throw new DevError(
    `the verification email did not arrive at ${inbox} within ${mailLimitMs / 1_000} seconds.`,
  )
}

async function newestVerificationMail(inbox: string): Promise<string | undefined> {
  const words = encodeURIComponent(`${demoUser.email} Verify`)
  const { data } = listSchema.parse(await fromInbox(`${inbox}/emails?limit=1&q=${words}`))
  return data[0]?.id
}

async function fromInbox(url: string): Promise<unknown> {
  return (await fetch(url, { headers: { Authorization: 'Bearer re_local' } })).json()
}

/** Follows a link in an email at the local API, whatever public address (APP_URL) it names. */
async function followLink(address: string, link: string): Promise<void> {
  const { pathname, search } = new URL(link)
  const { status } = await fetch(new URL(pathname + search, address), { redirect: 'manual' })
  if (status !== 302) throw new DevError(`the verification link responded with ${status}.`)
}
