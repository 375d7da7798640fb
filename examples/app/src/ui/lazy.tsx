import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** A component whose code is loaded when it is first shown. */
export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let Loaded: ComponentType<Props> | undefined
  return function Lazy(props: Props) {
    const [, setLoaded] = useState(false)
    useEffect(() => {
      if (Loaded) return
      void load().then((component) => {
        Loaded = component
        setLoaded(true)
      })
    }, [])
    return Loaded ? <Loaded {...props} /> : null
  }
}
