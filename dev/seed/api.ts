import { DevError } from '../dev-error.ts'

/** A response of the API; the body is parsed JSON, or undefined if there is none. */
export type ApiResponse = { status: number; body: unknown }

/** Makes a call such as `api('POST /accounts', {…})`. */
export type Api = (request: string, body?: unknown, headers?: Record<string, string>) => Promise<ApiResponse>

/** The API at an address that ends in /api, for whoever has the token. */
export function openApi(address: string, token?: string): Api {
  return async (request, body, headers) => {
    const [method = '', path] = request.split(' ')
    const response = await fetch(`${address}${path}`, {
      method,
      headers: {
        'Content-Type': 'application/json',
        ...(token && { Authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, body: text ? JSON.parse(text) : undefined }
  }
}

/** The body of a call that must succeed. Throws a DevError with the status and body of a failure. */
export async function demand(api: Api, request: string, ...rest: [unknown?, Record<string, string>?]) {
  const { status, body } = await api(request, ...rest)
  if (status < 300) return body
  throw new DevError(`${request} responded with ${status}: ${JSON.stringify(body)}`)
}
