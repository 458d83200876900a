/** Health, people and configuration of the home. Usage is a tab of Activity. */
import { Button } from '../../parts/controls.tsx'
import { may, me, signOut } from '../../store/session.ts'
import { Account } from './account.tsx'
import { Config } from './config.tsx'
import { Health } from './health.tsx'
import { People } from './people.tsx'

const PAGES = ['health', 'people', 'config', 'account'] as const
/** For who can't change the home. */
const OWN_PAGES = ['account'] as const
type Page = (typeof PAGES)[number]
const WORDS: Readonly<Record<Page, string>> = {
  health: 'Health',
  people: 'People',
  config: 'Configuration',
  account: 'Your account',
}

export function SettingsView({ page }: { readonly page: string }) {
  const pages: readonly Page[] = may('see-home') ? PAGES : OWN_PAGES
  const now = pages.find((one) => one === page) ?? pages[0] ?? 'account'
  if (me.value === null) return <div class="view narrow" aria-busy="true" />
  return (
    <div class="view narrow">
      <header class="view-head">
        <h1>Settings</h1>
        <span class="only-phone">
          <Button onClick={signOut}>Sign out</Button>
        </span>
      </header>
      <p class="only-phone row small">
        <a href="/activity">Activity</a>
        <a href="/activity/usage">Usage</a>
        <a href="/schedules">Schedules</a>
        <a href="/memory">Memory</a>
        {may('see-home') ? <a href="/agents">Agents</a> : null}
      </p>
      <nav class="tabs" aria-label="Settings">
        {pages.map((name) => (
          <a key={name} href={`/settings/${name}`} aria-current={name === now ? 'page' : undefined}>
            {WORDS[name]}
          </a>
        ))}
      </nav>
      <div class="settings-body">{bodyOf(now)}</div>
    </div>
  )
}

function bodyOf(page: Page) {
  switch (page) {
    case 'health':
      return <Health />
    case 'people':
      return <People />
    case 'config':
      return <Config />
    case 'account':
      return <Account />
  }
}
