/** A random id (RFC 9562, version 4). `crypto.randomUUID` is missing on pages of an origin that is not secure. */
export function newClientId(): string {
  const random = crypto.getRandomValues(new Uint8Array(36))
  return 'xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx'.replace(/x/g, (_, at) =>
    ((random[at] ?? 0) % 16).toString(16),
  )
}
