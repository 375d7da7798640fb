/** The result of a session with any client. */
export type SessionResult = { balance: number; outcomes: string[]; refusal: string }

/** What a session starts from: where the service is, who signs up, and how to verify an address by its email. */
export type SessionStart = { baseUrl: string; email: string; verify: (email: string) => Promise<void> }

export const password = 'correct horse battery staple'
export const aDay = '2026-11-20'

/** Repeats a request until it has a result. Throws if there is none in some ten seconds. */
export async function poll<T>(request: () => Promise<T | undefined>): Promise<T> {
  for (let tries = 0; tries < 100; tries++) {
    const result = await request()
    if (result !== undefined) return result
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('No result in time')
}
