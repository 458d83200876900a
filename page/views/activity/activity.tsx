/** Who did what and when, in all rooms; and what it used. */
import { Timeline } from '../../parts/timeline/timeline.tsx'
import { useChannel } from '../../store/channels.ts'
import { type ActivityTab, query } from '../../store/routes.ts'
import { may } from '../../store/session.ts'
import '../../style/activity.css'
import { ActivityFilters, askedOf } from './activity-filters.tsx'
import { Usage } from './usage.tsx'

const TABS: readonly { readonly tab: ActivityTab; readonly address: string; readonly label: string }[] = [
  { tab: 'events', address: '/activity', label: 'Events' },
  { tab: 'usage', address: '/activity/usage', label: 'Usage' },
]

export function ActivityView({ tab: now }: { readonly tab: ActivityTab }) {
  return (
    <div class="view activity">
      <h1>Activity</h1>
      <nav class="tabs" aria-label="Activity">
        {TABS.map(({ tab, address, label }) => (
          <a key={tab} href={address} aria-current={tab === now ? 'page' : undefined}>
            {label}
          </a>
        ))}
      </nav>
      {now === 'usage' ? <Usage /> : <Events />}
    </div>
  )
}

function Events() {
  const version = useVersion()
  return (
    <>
      <ActivityFilters />
      <Timeline
        about={askedOf(query.value)}
        version={version}
        empty={query.value.size === 0 ? 'Nothing happened yet.' : 'No event matches these filters.'}
      />
    </>
  )
}

interface Decision {
  readonly act?: string
  readonly hash?: string
}

/** Changes when something happened. Looks don't count, because this view's own calls are looks too. */
function useVersion(): string {
  const activity = useChannel<unknown>('activity')
  const audit = useChannel<readonly Decision[]>(may('see-home') ? 'audit' : null)
  const last = audit.value.value?.findLast(({ act }) => act !== undefined && !act.startsWith('see'))
  return JSON.stringify([activity.value.value ?? null, last?.hash ?? null])
}
