type Awaitable<T> = T | Promise<T>

/** Where the access token is kept: in memory, in the browser, or in the phone's store for secrets. */
export type TokenStore = {
  get: () => Awaitable<string | null>
  set: (token: string) => Awaitable<void>
  /** Clears the token or, if one is named, only that one: another may have been set since. */
  clear: (ended?: string) => Awaitable<void>
}

/** Clears a token that has ended. True if it was still there, and no other is. */
export async function clearEnded(tokens: TokenStore, ended: string): Promise<boolean> {
  // A store may ignore which token it is to clear.
  if ((await tokens.get()) !== ended) return false
  await tokens.clear(ended)
  return (await tokens.get()) === null
}

/** Keeps the token in memory, until the page is left. */
export function memoryTokens(token: string | null = null): TokenStore {
  return {
    get: () => token,
    set: (next) => {
      token = next
    },
    clear: (ended) => {
      if (ended === undefined || ended === token) token = null
    },
  }
}

/** The methods of `localStorage` and `sessionStorage` that are used here. */
export type WebStorage = {
  getItem: (key: string) => string | null
  setItem: (key: string, value: string) => void
  removeItem: (key: string) => void
}

/** Keeps the token in `localStorage` or `sessionStorage`; any script on the page can read it there. */
export function webStorageTokens(storage: WebStorage, key = 'purse.token'): TokenStore {
  return {
    get: () => storage.getItem(key),
    set: (token) => storage.setItem(key, token),
    clear: (ended) => {
      if (ended === undefined || ended === storage.getItem(key)) storage.removeItem(key)
    },
  }
}
