/** What no log line may contain, by what it would give away. */
const kinds: Record<string, RegExp> = {
  'a token': /\b\d+\|[A-Za-z0-9]{20,}/,
  // Secrets of tokens and links, signatures, SHA-256: no name of ours is that long without a break. The folder in which
  // Vite keeps packages is named by a hash, and appears in stack traces.
  'a secret or a hash': /(?<![A-Za-z0-9]|\/\.vite\/vitest\/)[A-Za-z0-9]{40,}(?![A-Za-z0-9])/,
  'a hashed password': /scrypt\$/,
  'a JWT': /\beyJ[\w-]{8,}\.[\w-]+\./,
  'an Authorization header': /\b(?:Bearer|Basic)\s+\S/i,
  'an API key': /\bre_[A-Za-z0-9]/,
  'a mail address': /[\w.+-]+@[\w-]+\.\w/,
  'the query of a link': /[?&](?:signature|token|code|state|expires|email)=/,
  'a statement': /\b(?:insert into|delete from|select\b.{1,200}\bfrom|update \S{1,50} set)\b/i,
  'a password of the tests': /correct horse|countess1815/,
  'the secret of the Worker': /a secret of the tests/,
}

/** Names each kind of secret that a text gives away; none for a good log line. */
export function secretsIn(text: string): string[] {
  return Object.entries(kinds)
    .filter(([, pattern]) => pattern.test(text))
    .map(([kind]) => kind)
}
