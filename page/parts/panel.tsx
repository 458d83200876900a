/** The place of a detail beside the list; on a phone it fills the screen. Esc closes it. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { path } from '../store/routes.ts'
import { IconButton } from './controls.tsx'
import { onEscape } from './keys/keys.ts'

interface PanelProps {
  readonly label: string
  readonly onClose: () => void
  readonly children: ComponentChildren
}

export function Panel({ label, onClose, children }: PanelProps) {
  const element = useRef<HTMLElement>(null)
  useEffect(() => {
    element.current?.focus({ preventScroll: true })
    element.current?.scrollTo(0, 0)
  }, [path.value])
  useEffect(() => onEscape(onClose), [])
  return (
    <aside class="panel" aria-label={label} ref={element} tabIndex={-1}>
      <div class="panel-head">
        <a class="link small" href={path.value} target="_self" onClick={fullPage}>
          Open as page
        </a>
        <IconButton icon="close" label="Close" onClick={onClose} />
      </div>
      {children}
    </aside>
  )
}

/** Without the list behind it, a detail fills the page. */
function fullPage(event: MouseEvent): void {
  event.preventDefault()
  history.pushState(null, '', location.href)
  dispatchEvent(new PopStateEvent('popstate'))
}
