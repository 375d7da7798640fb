type Awaitable<T> = T | Promise<T>

/** Where the access token is kept: in memory, in the browser, or in the phone's store for secrets. */
export type TokenStore = {
  get: () => Awaitable<string | null>
  set: (token: string) => Awaitable<void>
  clear: () => Awaitable<void>
}

/** Keeps the token in memory, until the page is left. */
export function memoryTokens(token: string | null = null): TokenStore {
  return {
    get: () => token,
    set: (next) => {
      token = next
    },
    clear: () => {
      token = null
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
    clear: () => storage.removeItem(key),
  }
}
