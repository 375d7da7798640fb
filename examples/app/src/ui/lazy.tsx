import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** The component of a module that is loaded when it is first shown. */
export function lazy<Name extends string, Props extends object>(
  load: () => Promise<Record<Name, ComponentType<Props>>>,
  name: Name,
): ComponentType<Props> {
  let Loaded: ComponentType<Props> | undefined
  return function Lazy(props: Props) {
    const [, setLoaded] = useState(false)
    useEffect(() => {
      if (Loaded) return
      void load().then((module) => {
        Loaded = module[name]
        setLoaded(true)
      })
    }, [])
    return Loaded ? <Loaded {...props} /> : null
  }
}
