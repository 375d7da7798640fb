/** Replaces `js-base64` in the Worker (wrangler.toml, alias), which libSQL's driver uses for blobs: Buffer does the same. */
export const Base64 = {
  fromUint8Array: (bytes: Uint8Array) => Buffer.from(bytes).toString('base64'),
  toUint8Array: (text: string) => new Uint8Array(Buffer.from(text, 'base64')),
}
