/** What the timeline shows. Each filter is in the address, so that a link shows the same. */
import { useEffect, useState } from 'preact/hooks'
import { visible } from '../../parts/text.ts'
import { useRooms } from '../../store/rooms.ts'
import { query, setQuery } from '../../store/routes.ts'
import { call } from '../../store/rpc.ts'
import { may } from '../../store/session.ts'

interface Kind {
  readonly label: string
  /** Null: all but what was only looked at. */
  readonly kinds: readonly string[] | null
}

/** By the name in the address; the first one needs none. */
const KINDS: Readonly<Record<string, Kind>> = {
  '': { label: 'Changes', kinds: ['git'] },
  runs: {
    label: 'Runs of tasks',
    kinds: ['start', 'complete', 'fail', 'stop', 'block', 'unblock', 'requeue', 'review', 'merge', 'reject'],
  },
  requests: {
    label: 'Requests',
    kinds: ['ask', 'ask-changed', 'decide-ask', 'close-ask', 'approve', 'deny'],
  },
  schedules: { label: 'Schedules', kinds: ['fire', 'schedule', 'adopt-schedule', 'record-schedule'] },
  memory: { label: 'Memory', kinds: ['remember', 'forget', 'distill', 'purge'] },
  agents: { label: 'Steps of agents', kinds: ['transcript'] },
  decisions: { label: 'Decisions', kinds: ['decision'] },
  peers: { label: 'Agents of other homes', kinds: ['peer'] },
  refusals: { label: 'Refusals', kinds: ['refusal'] },
  all: { label: 'Everything', kinds: null },
}
const FILTERS = ['kind', 'who', 'room', 'agent', 'task', 'text', 'from', 'to'] as const

/** Parameters of audit.timeline. */
export function askedOf(asked: URLSearchParams): Readonly<Record<string, unknown>> {
  const kinds = (KINDS[asked.get('kind') ?? ''] ?? KINDS['all'])?.kinds ?? null
  const names = {
    who: 'actor',
    room: 'roomId',
    task: 'taskId',
    agent: 'agentId',
    text: 'text',
    from: 'since',
    to: 'until',
  }
  const set = Object.entries(names).flatMap(([name, parameter]) => {
    const value = asked.get(name)?.trim() ?? ''
    // A day is meant whole.
    return value === ''
      ? []
      : [[parameter, name === 'to' && value.length === 10 ? `${value}T23:59:59` : value]]
  })
  return { ...(kinds === null ? {} : { kinds }), ...Object.fromEntries(set) }
}

export function ActivityFilters() {
  const asked = query.value
  const rooms = useRooms() ?? []
  const isFiltered = FILTERS.some((name) => (asked.get(name) ?? '') !== '')
  const clear = () => setQuery(Object.fromEntries(FILTERS.map((name) => [name, null])))
  return (
    <search class="activity-filters">
      <div class="row">
        <Choice
          name="kind"
          label="What"
          options={Object.entries(KINDS).map(([name, { label }]) => [name, label] as const)}
        />
        <Choice name="who" label="Who" options={usePeople(asked.get('who'))} />
        <Choice
          name="room"
          label="Room"
          options={[['', 'All rooms'], ...rooms.map(({ id, name }) => [id, visible(name)] as const)]}
        />
        <AgentFilter />
        <TypedFilter name="text" label="Search" placeholder="Search in events" />
      </div>
      <div class="row">
        <TypedFilter name="task" label="Task" placeholder="task: id or name" />
        <DayFilter name="from" label="From" />
        <DayFilter name="to" label="To" />
        {isFiltered ? (
          <button type="button" class="button" onClick={clear}>
            Clear filters
          </button>
        ) : null}
      </div>
    </search>
  )
}

type Name = (typeof FILTERS)[number]
type Option = readonly [value: string, label: string]

interface ChoiceProps {
  readonly name: Name
  readonly label: string
  readonly options: readonly Option[]
  /** Filters that follow from any choice. */
  readonly more?: Readonly<Partial<Record<Name, string>>>
}

function Choice({ name, label, options, more = {} }: ChoiceProps) {
  const value = query.value.get(name) ?? ''
  return (
    <select
      aria-label={label}
      class={value === '' ? undefined : 'on'}
      value={value}
      onChange={({ currentTarget }) => setQuery({ [name]: currentTarget.value, ...more })}
    >
      {options.map(([option, text]) => (
        <option key={option} value={option}>
          {text}
        </option>
      ))}
    </select>
  )
}

const ANYONE: readonly Option[] = [
  ['', 'Anyone'],
  ['human', 'Owner'],
  ['neo', 'Neo'],
  ['session', 'Agents'],
  ['editor', 'Editors'],
]

function AgentFilter() {
  const agents = useAgentOptions(query.value.get('agent'))
  if (agents.length === 0) return null
  return (
    <Choice name="agent" label="Agent" options={[['', 'All agents'], ...agents]} more={{ kind: 'peers' }} />
  )
}

/** With the members, for those who may know them. */
function usePeople(chosen: string | null): readonly Option[] {
  const members = useListed('member.list', (all: readonly Named[]) =>
    all.map(({ id, name }) => [`member:${id}`, visible(name)]),
  )
  return withChosen([...ANYONE, ...members], chosen)
}

/** For the owner; for others only what the address names. */
function useAgentOptions(chosen: string | null): readonly Option[] {
  const agents = useListed('agent.list', ({ agents: all }: { readonly agents: readonly Named[] }) =>
    all.map(({ id }) => [id, visible(id)]),
  )
  return withChosen(agents, chosen)
}

interface Named {
  readonly id: string
  readonly name: string
}

function useListed<T>(method: string, options: (result: T) => readonly Option[]): readonly Option[] {
  const [listed, setListed] = useState<readonly Option[]>([])
  useEffect(() => {
    if (!may('see-home')) return
    call<T>(method).then(
      (result) => setListed(options(result)),
      () => {},
    )
  }, [])
  return listed
}

function withChosen(known: readonly Option[], chosen: string | null): readonly Option[] {
  const isKnown = chosen === null || known.some(([value]) => value === chosen)
  return isKnown ? known : [...known, [chosen, visible(chosen)]]
}

interface TypedProps {
  readonly name: Name
  readonly label: string
  readonly placeholder: string
}

/** A pause in typing. */
const PAUSE_MS = 250

function TypedFilter({ name, label, placeholder }: TypedProps) {
  const set = query.value.get(name) ?? ''
  const [typed, setTyped] = useState(set)
  useEffect(() => setTyped(set), [set])
  useEffect(() => {
    if (typed.trim() === set) return
    const timer = setTimeout(() => setQuery({ [name]: typed.trim() }), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed])
  return (
    <input
      type="search"
      placeholder={placeholder}
      aria-label={label}
      class={`${name}-filter ${set === '' ? '' : 'on'}`}
      value={typed}
      onInput={({ currentTarget }) => setTyped(currentTarget.value)}
    />
  )
}

function DayFilter({ name, label }: { readonly name: Name; readonly label: string }) {
  const value = query.value.get(name) ?? ''
  return (
    <label class="soft small">
      {label}
      <input
        type="date"
        class={value === '' ? undefined : 'on'}
        value={value}
        onInput={({ currentTarget }) => setQuery({ [name]: currentTarget.value })}
      />
    </label>
  )
}
