import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'

/**
 * Why a request is refused, or undefined if it is not. Any web page open in the developer's browser can send
 * requests to loopback, and by DNS rebinding read the answers: mails here carry working reset links.
 */
export function refusal(request: IncomingMessage): string | undefined {
  const { host, origin } = request.headers
  const asked = URL.parse(`http://${host}`)
  if (!asked || !isLocalName(asked.hostname)) return `The host ${host} is not a local address.`
  const sender = origin === undefined ? undefined : URL.parse(origin)
  if (origin !== undefined && !(sender && isLocalName(sender.hostname))) {
    return `The origin ${origin} is not a local address.`
  }
  return undefined
}

/** An IP address cannot be rebound: only a name in somebody's DNS can. */
function isLocalName(hostname: string): boolean {
  const bare = hostname.replace(/^\[|\]$/g, '')
  return isIP(bare) !== 0 || bare === 'localhost' || bare.endsWith('.localhost')
}
