/**
 * An account and what is added to it, with its currency; hledger works out the one amount that is left out. A posting may
 * have another day than its entry.
 */
export type Posting = [account: string, amount: string, day?: string | null]

/** An entry of a journal of hledger. */
export function journalEntry(title: string, postings: Posting[]): string {
  const lines = postings.map(
    ([account, amount, day]) => `    ${account}  ${amount}${day ? `  ; date:${day}` : ''}\n`,
  )
  return `\n${title}\n${lines.join('')}`
}

/** The title of an entry. With a status and a code, hledger reads the rest as the description. */
export function journalTitle(date: string, reference: string | null, description: string | null): string {
  return `${date} * (${plain(reference ?? '').replaceAll(')', ']')}) ${plain(description ?? '')}`
}

/** The full name of an account. */
export function journalAccount(parent: string, name: string): string {
  return `${parent}:${plain(name).replaceAll(':', '-')}`
}

/** A text without what ends a name or a description in hledger: two spaces, a line end, a semicolon. */
function plain(text: string): string {
  return text
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .replaceAll(';', ',')
}
