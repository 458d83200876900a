/** Who did what and when, in all rooms. */
import { useState } from 'preact/hooks'
import { Timeline } from '../parts/timeline.tsx'
import { useChannel } from '../store/channels.ts'

const KINDS: Readonly<Record<string, readonly string[] | undefined>> = {
  Everything: undefined,
  Changes: ['git'],
  Decisions: ['decision'],
  Refusals: ['decision'],
}

interface Decision {
  readonly act?: string
  readonly at?: string
}

/** Changes after which the list is fetched again; looks don't count, because this view's own calls are looks too. */
function useChanges(): string {
  const { value } = useChannel<readonly Decision[]>('audit')
  const last = value.value?.findLast(({ act }) => act !== undefined && !act.startsWith('see'))
  return JSON.stringify(last ?? null)
}

export function ActivityView() {
  const [kind, setKind] = useState('Changes')
  const [actor, setActor] = useState('')
  const version = useChanges()
  const kinds = KINDS[kind]
  const about = {
    ...(kinds === undefined ? {} : { kinds }),
    ...(actor.trim() === '' ? {} : { actor: actor.trim() }),
  }
  return (
    <div class="view narrow">
      <header class="view-head">
        <h1>Activity</h1>
        <div class="row">
          <select
            aria-label="What to show"
            value={kind}
            onChange={({ currentTarget }) => setKind(currentTarget.value)}
          >
            {Object.keys(KINDS).map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
          <input
            type="search"
            aria-label="Only events of"
            placeholder="who: human, neo, member:ID"
            value={actor}
            onChange={({ currentTarget }) => setActor(currentTarget.value)}
          />
        </div>
      </header>
      <Timeline about={about} version={version} />
    </div>
  )
}
