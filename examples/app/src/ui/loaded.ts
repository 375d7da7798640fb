import { useEffect, useState } from 'preact/hooks'
import { type Failure, failureOf } from '../failure.ts'
import { useFollowed } from '../store.ts'
import { connection } from '../sync.ts'

type Loaded<T> = { loaded?: T; failure?: Failure }

/** What only the service knows. It is loaded again when the network is back. */
export function useLoaded<T>(load: () => Promise<T>) {
  const [result, setResult] = useState<Loaded<T>>({})
  const { isOnline } = useFollowed(connection).get()
  const reload = () =>
    load().then(
      (loaded) => setResult({ loaded }),
      (error) => setResult((before) => ({ ...before, failure: failureOf(error) })),
    )
  useEffect(() => void reload(), [isOnline])
  return { ...result, reload }
}
