/** A view that loads when it is first shown. */
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Empty } from './controls.tsx'

/** @param load `() => import('./x.tsx').then(({ XView }) => XView)` */
export function lazyView<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let loaded: ComponentType<P> | null = null
  return function Lazy(props: P) {
    const [found, setFound] = useState<{ readonly View: ComponentType<P> } | null>(
      loaded === null ? null : { View: loaded },
    )
    const [failed, setFailed] = useState(false)
    useEffect(() => {
      if (found !== null) return
      load().then(
        (View) => {
          loaded = View
          setFound({ View })
        },
        () => setFailed(true),
      )
    }, [])
    // After an update of Neo the file has another name.
    if (failed) return <Empty title="This part of the page can't be loaded. Reload the page." />
    return found === null ? <div class="view" aria-busy="true" /> : <found.View {...props} />
  }
}
