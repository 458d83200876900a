/** Health, people, usage and configuration of the home. */
import { useEffect, useState } from 'preact/hooks'
import { Button, Empty } from '../parts/controls.tsx'
import { duration, visible } from '../parts/text.ts'
import { signOut } from '../store/session.ts'
import { Config } from './config.tsx'
import { People } from './people.tsx'
import { Usage } from './usage.tsx'

const PAGES = ['health', 'people', 'usage', 'config'] as const
type Page = (typeof PAGES)[number]
const WORDS: Readonly<Record<Page, string>> = {
  health: 'Health',
  people: 'People',
  usage: 'Usage',
  config: 'Configuration',
}

export function SettingsView({ page }: { readonly page: string }) {
  const now = PAGES.find((one) => one === page) ?? 'health'
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
        <a href="/schedules">Schedules</a>
        <a href="/memory">Memory</a>
      </p>
      <nav class="tabs" aria-label="Settings">
        {PAGES.map((name) => (
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
    case 'usage':
      return <Usage />
    case 'config':
      return <Config />
  }
}

interface Status {
  readonly version: string
  readonly uptimeMs: number
  readonly health: readonly {
    readonly part: string
    readonly state: 'ok' | 'off' | 'trouble'
    readonly says: string
  }[]
}

const STATE_WORDS = { ok: 'OK', off: 'Off', trouble: 'Problem' } as const

function Health() {
  const [status, setStatus] = useState<Status | null>(null)
  const [error, setError] = useState<string | null>(null)
  const load = async () => {
    const answer = await fetch('/status')
    if (answer.ok) setStatus((await answer.json()) as Status)
    else setError('You may not see the health of this home.')
  }
  useEffect(() => {
    load().catch((failure: Error) => setError(failure.message))
  }, [])
  if (error !== null) return <Empty title={error} />
  if (status === null) return <div aria-busy="true" />
  return (
    <>
      <table class="table">
        <tbody>
          {status.health.map(({ part, state, says }) => (
            <tr key={part}>
              <th scope="row">{part}</th>
              <td>
                <span class="health" data-state={state}>
                  {STATE_WORDS[state]}
                </span>
              </td>
              <td class="wrap">{visible(says)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="soft small row">
        Neo Rooms {status.version}, up {duration(status.uptimeMs)}
        <Button onClick={load}>Refresh</Button>
      </p>
    </>
  )
}
