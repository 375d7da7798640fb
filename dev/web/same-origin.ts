import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'

/**
 * Why a request is refused, or undefined if it is not. Any web page open in the developer's browser can send
 * requests to loopback, and by DNS rebinding read the responses: emails here carry working reset links.
 */
export function refusal(request: IncomingMessage): string | undefined {
  const { host, origin } = request.headers
  const requested = URL.parse(`http://${host}`)
  // An IP address cannot be rebound: only a name in DNS can.
  if (!requested || !(isThisMachine(requested) || isAddress(requested)))
    return `The host ${host} is not a local address.`
  const sender = origin === undefined ? undefined : URL.parse(origin)
  // A foreign page may come from an IP address.
  if (origin !== undefined && !(sender && (isThisMachine(sender) || sender.host === requested.host)))
    return `The origin ${origin} is not a local address.`
  return undefined
}

const isThisMachine = ({ hostname }: URL) => /^(?:(?:.+\.)?localhost|127\.[\d.]+|\[::1\])$/.test(hostname)
const isAddress = ({ hostname }: URL) => isIP(hostname.replace(/^\[|\]$/g, '')) !== 0
