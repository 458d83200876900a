/** How the parts of Neo are: live, in words, with what to do. */
import '../../style/settings.css'
import type { ComponentChildren } from 'preact'
import { Empty } from '../../parts/controls.tsx'
import { count, visible } from '../../parts/text.ts'
import { Time } from '../../parts/time.tsx'
import { useChannel } from '../../store/channels.ts'

interface Item {
  readonly part: string
  readonly state: 'ok' | 'off' | 'trouble'
  readonly says: string
  readonly next: string
  /** ISO 8601 */
  readonly since: string
  readonly order: number
}

const STATE_WORDS = { ok: 'OK', off: 'Off', trouble: 'Problem' } as const
const SHAPES = {
  ok: 'M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11M5.5 8l2 2 3-3.5',
  off: 'M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11M5.5 8h5',
  trouble: 'M8 2l6.5 11.5h-13zM8 6.5v3M8 11.5h.01',
} as const

const NAMES: Readonly<Record<string, string>> = {
  daemon: 'Neo',
  lock: 'Lock of the home',
  watcher: 'File watcher',
  git: 'Git',
  configuration: 'Configuration',
  files: 'Files',
  model: 'Model',
  starts: 'Starting tasks',
  host: 'Machine',
  memory: 'Search index',
  distilling: 'Extracting facts',
  server: 'Page and API',
  round: 'Reading and writing files',
  signing: 'Signed commits',
  node: 'Machine',
  care: 'Cleaning up',
}

export function Health() {
  const { value, error } = useChannel<{ readonly parts: Readonly<Record<string, Item>> }>('health')
  if (error.value !== null) return <Empty title="Only the owner sees the health of this home." />
  if (value.value === undefined) return <div aria-busy="true" />
  const items = Object.values(value.value.parts).toSorted((a, b) => a.order - b.order)
  const troubles = items.filter(({ state }) => state === 'trouble')
  const rest = items.filter(({ state }) => state !== 'trouble')
  return (
    <>
      <p class="soft">
        {troubles.length === 0
          ? 'Everything that is on works.'
          : `${count(troubles.length, 'problem')} to look at.`}
      </p>
      {troubles.length === 0 ? null : <List label="Problems">{troubles.map(row)}</List>}
      <List label="Parts">{rest.map(row)}</List>
    </>
  )
}

function List({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  return (
    <ul class="health-list" aria-label={label}>
      {children}
    </ul>
  )
}

function row({ part, state, says, next, since }: Item) {
  return (
    <li key={part} data-state={state}>
      <span class="health" data-state={state}>
        <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
          <path d={SHAPES[state]} />
        </svg>
        {STATE_WORDS[state]}
      </span>
      <span class="strong">{nameOf(part)}</span>
      <div class="min0 wrap">
        <p>{visible(says)}</p>
        {next === '' ? null : <p class="soft small">{visible(next)}</p>}
      </div>
      <span class="soft small since">
        changed <Time at={since} />
      </span>
    </li>
  )
}

function nameOf(part: string): string {
  const known = NAMES[part]
  if (known !== undefined) return known
  const [kind = '', ...rest] = part.split(' ')
  if (kind === 'session') return `Task ${visible(rest.join(' '))}`
  if (kind === 'neo') return `Neo of ${visible(rest.join(' '))}`
  // `channel telegram polling` is shown as Telegram.
  const name = kind === 'channel' ? (rest[0] ?? part) : part
  return visible(name.charAt(0).toUpperCase() + name.slice(1))
}
