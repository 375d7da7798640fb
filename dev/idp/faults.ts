import type { ServerResponse } from 'node:http'
import { Hanging } from '../web/hanging.ts'
import { send, sendJson } from '../web/serve.ts'

const paths: Record<string, string> = {
  token: '/token',
  jwks: '/jwks',
  userinfo: '/me',
  discovery: '/.well-known/openid-configuration',
}

type Fault = { status: number } | 'hang' | 'nonsense'

/** Failures that a test has requested, by endpoint, until it resets them. */
export class Faults {
  #byPath = new Map<string, Fault>()
  #hanging = new Hanging()

  /** Sets the fault of `{endpoint, status?, hang?, nonsense?}`, or returns what is wrong with that object. */
  set({ endpoint, status = 500, hang, nonsense }: Record<string, unknown>): string | undefined {
    const path = typeof endpoint === 'string' && Object.hasOwn(paths, endpoint) ? paths[endpoint] : undefined
    if (!path) return `The endpoint must be one of ${Object.keys(paths).join(', ')}.`
    if (typeof status !== 'number' || !(status >= 400 && status <= 599)) {
      return 'The status must be between 400 and 599.'
    }
    this.#byPath.set(path, hang ? 'hang' : nonsense ? 'nonsense' : { status })
    return undefined
  }

  /** How many requests are hanging, for a test that waits for its own. */
  get hanging(): number {
    return this.#hanging.count
  }

  /** Ends all faults, and the requests that hang. */
  reset(): void {
    this.#byPath.clear()
    this.#hanging.release()
  }

  /** Answers the request with its endpoint's fault; false if there is none. */
  answer(pathname: string, response: ServerResponse): boolean {
    const fault = this.#byPath.get(pathname)
    if (fault === undefined) return false
    if (fault === 'hang') this.#hanging.hold(response)
    else if (fault === 'nonsense') send(response, 200, 'application/json', '<!doctype html><p>Not JSON')
    else sendJson(response, fault.status, { error: 'server_error' })
    return true
  }
}
