import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { ApiResponse, CallOptions } from '../worker/answers.ts'
import { type Place, until } from './stack.ts'

const password = 'correct horse battery'

/** The body of a registration. */
export function registration(email: string) {
  return { name: 'Somebody', email, password, password_confirmation: password }
}

/** Sends a request with JSON, and reads the response. */
export async function ask(
  url: string,
  method: string,
  { token, body, signal }: Pick<CallOptions, 'token' | 'body'> & { signal?: AbortSignal | undefined } = {},
): Promise<ApiResponse> {
  const response = await fetch(url, {
    method,
    headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  })
  const text = await response.text()
  const { status, headers } = response
  return { status, headers, text, body: text ? JSON.parse(text) : undefined }
}

/** Calls the API of a stack as a client would. */
export function clientOf({ PORT }: Place) {
  return (method: string, path: string, body?: unknown, token?: string, signal?: AbortSignal) =>
    ask(`http://127.0.0.1:${PORT}/api${path}`, method, { token, body, signal })
}

/**
 * Registers a user on a stack and returns the response. Tests share one client address, and the service refuses hashes of
 * one address that would wait for each other, so this asks again when it is told to.
 */
export async function register(place: Place, email: string) {
  const tryOnce = () => clientOf(place)('POST', '/register', registration(email))
  let response = await tryOnce()
  for (; response.status === 503; response = await tryOnce())
    await sleep(1_000 * Number(response.headers.get('Retry-After')))
  expect(response.status).toBe(201)
  return response.body
}

/** Waits for an email in a stack's inbox, and returns the first link in its text. */
export async function linkInMail({ MAIL_PORT }: Place, to: string, subject: RegExp): Promise<string> {
  const inbox = `http://127.0.0.1:${MAIL_PORT}/emails`
  const headers = { Authorization: 'Bearer re_local' }
  const find = async () => {
    const { data } = (await (await fetch(inbox, { headers })).json()) as {
      data: { id: string; to: string[]; subject: string }[]
    }
    return data.find((mail) => mail.to.includes(to) && subject.test(mail.subject))
  }
  expect(await until(async () => (await find()) !== undefined)).toBe(true)
  const mail = (await (await fetch(`${inbox}/${(await find())?.id}`, { headers })).json()) as { text: string }
  return /https?:\S+/.exec(mail.text)?.[0] ?? ''
}

/** Verifies a user's address by the link in the email. */
export async function verifyByMail(place: Place, email: string): Promise<void> {
  await fetch(await linkInMail(place, email, /Verify your email/), { redirect: 'manual' })
}
