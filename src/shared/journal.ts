/** An account and what is added to it, with its currency; hledger works out the one amount that is left out. */
export type Posting = [account: string, amount: string]

/** An entry of a journal of hledger. */
export function journalEntry(title: string, postings: Posting[]): string {
  return `\n${title}\n${postings.map(([account, amount]) => `    ${account}  ${amount}\n`).join('')}`
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
