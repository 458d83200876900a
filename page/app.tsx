/** The frame of every view: sidebar, list, and the detail beside it. */
import { effect } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Messages } from './parts/controls.tsx'
import { listenForKeys } from './parts/keys/keys.ts'
import { Panel } from './parts/panel.tsx'
import { BottomBar, Sidebar } from './sidebar.tsx'
import { useChannel } from './store/channels.ts'
import { connection } from './store/connection.ts'
import { behind, closeDetail, isDetail, type Route, route } from './store/routes.ts'
import { signedOut } from './store/session.ts'
import type { Inbox } from './store/types.ts'
import { View } from './views/view.tsx'
import { forMe, inboxCount } from './views/inbox/inbox-items.ts'
import { Palette } from './parts/palette/palette.tsx'

export function App() {
  const inbox = useChannel<Inbox>('inbox')
  const own = forMe(inbox.value.value)
  const needs = own === undefined ? 0 : inboxCount(own)
  useEffect(() => {
    document.title = needs === 0 ? 'Neo Rooms' : `(${needs}) Neo Rooms`
    setBadge(needs)
  }, [needs])
  useEffect(listenForKeys, [])
  const now = route.value
  const list = isDetail(now) ? behind.value : now
  return (
    <div class="app" data-connection={connection.value}>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <Sidebar needs={needs} />
      <Notice />
      <div class={`work ${isDetail(now) && list !== null ? 'with-panel' : ''}`}>
        <main id="main" tabIndex={-1} inert={false}>
          <View route={list ?? now} />
        </main>
        {isDetail(now) && list !== null ? (
          <Panel label={PANEL_LABELS[now.view] ?? 'Details'} onClose={closeDetail}>
            <View route={now} />
          </Panel>
        ) : null}
      </div>
      <BottomBar needs={needs} />
      <Palette />
      <Messages />
    </div>
  )
}

const PANEL_LABELS: Partial<Readonly<Record<Route['view'], string>>> = {
  task: 'Task',
  session: 'Session',
  review: 'Review',
  request: 'Request',
  file: 'File',
  commit: 'Commit',
}

/** What is wrong with the connection; nothing while it is live. */
function Notice() {
  if (signedOut.value)
    return (
      <p class="banner bad" role="alert">
        You're signed out. <a href="/sign-in">Sign in again</a>.
      </p>
    )
  if (connection.value !== 'lost') return null
  return (
    <p class="banner" role="status">
      Can't reach Neo. Trying again… What you see may be out of date.
    </p>
  )
}

/** The number beside an installed page's icon; browsers without it show the title only. */
function setBadge(needs: number): void {
  const { setAppBadge, clearAppBadge } = navigator as Navigator & {
    setAppBadge?: (count: number) => Promise<void>
    clearAppBadge?: () => Promise<void>
  }
  const done = needs === 0 ? clearAppBadge?.call(navigator) : setAppBadge?.call(navigator, needs)
  done?.catch(() => {})
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]')
  if (icon !== null) icon.href = needs === 0 ? '/icon.svg' : '/icon-needs-you.svg'
}

// Each view gets the focus when it opens, so that keyboard and screen reader start there.
effect(() => {
  if (route.value.view !== 'missing') document.documentElement.dataset.view = route.value.view
})
