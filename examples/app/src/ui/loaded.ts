import { useEffect, useRef, useState } from 'preact/hooks'
import { type Failure, failureOf } from '../failure.ts'
import { useFollowed } from '../store.ts'
import { connection } from '../sync.ts'

const shown = new Set<() => Promise<void>>()
/** Loads again what the page shows, even if it is not the page that began the call. */
export const reload = () => Promise.all([...shown].map((load) => load()))

/** What only the service knows. It is loaded again when the network is back. */
export function useLoaded<T>(load: () => Promise<T>) {
  const [result, setResult] = useState<{ loaded?: T; failure?: Failure | undefined }>({})
  const { isOnline } = useFollowed(connection).get()
  const latest = useRef<Promise<T>>(undefined)
  const loadAndShow = async () => {
    const loading = load()
    latest.current = loading
    const next = await loading.then(
      (loaded) => ({ loaded, failure: undefined }),
      (error) => ({ failure: failureOf(error) }),
    )
    // A response that a later request has overtaken is out of date.
    if (latest.current === loading) setResult((before) => ({ ...before, ...next }))
  }
  useEffect(() => {
    shown.add(loadAndShow)
    void loadAndShow()
    return () => void shown.delete(loadAndShow)
  }, [isOnline])
  return result
}
