import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** A component that is loaded when it is first shown. */
export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let Loaded: ComponentType<Props> | undefined
  return function Lazy(props: Props) {
    const [, setLoaded] = useState(Loaded !== undefined)
    useEffect(() => {
      void load().then((component) => {
        Loaded = component
        setLoaded(true)
      })
    }, [])
    return Loaded ? <Loaded {...props} /> : null
  }
}
