import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Button } from './button.tsx'

/** A component that is loaded when it is first shown, or a sentence if that fails. */
export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let Loaded: ComponentType<Props> | undefined
  return function Lazy(props: Props) {
    const [state, setState] = useState<'loading' | 'loaded' | 'failed'>(Loaded ? 'loaded' : 'loading')
    useEffect(() => {
      load().then(
        (component) => {
          Loaded = component
          setState('loaded')
        },
        () => setState('failed'),
      )
    }, [])
    if (state === 'failed') return <Missing />
    return Loaded ? <Loaded {...props} /> : null
  }
}

const Missing = () => (
  <p role="alert">
    This part of the app could not be loaded. <Button label="Load again" onClick={() => location.reload()} />
  </p>
)
