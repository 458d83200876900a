/** Recurring tasks and messages of all rooms: when they run next, what came of the last runs, and what to do with them. */
import { useState } from 'preact/hooks'
import { Button, Empty } from '../../parts/controls.tsx'
import { Icon } from '../../parts/icons.tsx'
import { RunAxis, type RunRow } from '../../parts/run-axis.tsx'
import { visible } from '../../parts/text.ts'
import { now, relative } from '../../parts/time.tsx'
import { useChannel } from '../../store/channels.ts'
import { useRooms } from '../../store/rooms.ts'
import { addressOf, query, setQuery } from '../../store/routes.ts'
import { may } from '../../store/session.ts'
import type { Schedule } from '../../store/types.ts'
import '../../style/schedules.css'
import '../../style/segments.css'
import { Loading } from '../inbox/inbox.tsx'
import { ScheduleEdit } from './schedule-edit.tsx'
import { ScheduleRow, whenInWords } from './schedule-row.tsx'
import { clockIn, isOwnClock, OWN_ZONE } from './schedule-words.ts'

interface Broken {
  readonly path: string
  readonly roomId: string
  readonly name: string
  readonly problems: readonly { readonly line: number | null; readonly message: string }[]
}

interface Schedules {
  readonly schedules: Readonly<Record<string, Schedule>>
  /** Files that can't be read. */
  readonly broken: Readonly<Record<string, Broken>>
  readonly home: { readonly zone: string }
}

export function SchedulesView() {
  const { value, error } = useChannel<Schedules>('schedules')
  const rooms = useRooms()
  const [edited, setEdited] = useState<Schedule | 'new' | null>(null)
  const state = value.value
  if (error.value !== null) return <Empty title={error.value} />
  if (state === undefined || rooms === null) return <Loading />
  const room = query.value.get('room')
  const all = Object.values(state.schedules).filter(({ roomId }) => room === null || roomId === room)
  const broken = Object.values(state.broken).filter(({ roomId }) => room === null || roomId === room)
  const mayCreate = rooms.filter(({ id }) => may('make-task', id, null)).map(({ id }) => id)
  const inUse = new Set(
    [...Object.values(state.schedules), ...Object.values(state.broken)].map(({ roomId }) => roomId),
  )
  return (
    <div class="view schedules">
      <header class="view-head row spread">
        <h1>Schedules</h1>
        <div class="row">
          {inUse.size > 1 || room !== null ? <RoomChoice rooms={[...inUse].sort()} room={room} /> : null}
          {mayCreate.length > 0 ? (
            <Button tone="primary" icon="plus" onClick={() => setEdited('new')}>
              New schedule
            </Button>
          ) : null}
        </div>
      </header>
      {all.length + broken.length === 0 ? (
        <NoSchedules />
      ) : (
        <>
          <Upcoming schedules={all} homeZone={state.home.zone} />
          <List schedules={all} broken={broken} onEdit={setEdited} />
        </>
      )}
      {edited === null ? null : (
        <ScheduleEdit
          schedule={edited === 'new' ? null : edited}
          rooms={mayCreate}
          room={room}
          homeZone={state.home.zone}
          onClose={() => setEdited(null)}
        />
      )}
    </div>
  )
}

function NoSchedules() {
  return (
    <Empty title="No schedules yet.">
      <p class="soft">
        A schedule creates a task, or sends Neo a message, at the times that you choose: each morning, every
        two hours, or once.
      </p>
    </Empty>
  )
}

function RoomChoice({ rooms, room }: { readonly rooms: readonly string[]; readonly room: string | null }) {
  return (
    <select
      aria-label="Room"
      class="auto"
      value={room ?? ''}
      onChange={({ currentTarget }) => setQuery({ room: currentTarget.value })}
    >
      <option value="">All rooms</option>
      {rooms.map((name) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  )
}

const RANGES = [
  { name: '24h', hours: 24, label: '24 hours' },
  { name: '7d', hours: 24 * 7, label: '7 days' },
  { name: '30d', hours: 24 * 30, label: '30 days' },
] as const
/** As the hub bounds them. */
const MOST_RUNS = 50

interface UpcomingProps {
  readonly schedules: readonly Schedule[]
  readonly homeZone: string
}

function Upcoming({ schedules, homeZone }: UpcomingProps) {
  const range = RANGES.find(({ name }) => name === query.value.get('range')) ?? RANGES[1]
  const due = schedules.filter(({ nextAt }) => nextAt !== null).toSorted(soonestFirst)
  const zone = isOwnClock(homeZone, new Date().toISOString())
    ? ''
    : ` (${OWN_ZONE}). The home's time zone is ${homeZone}`
  return (
    <section class="card upcoming" aria-label="Next runs">
      <div class="row spread">
        <h2>Next runs</h2>
        <fieldset class="segments" aria-label="Show the next">
          {RANGES.map(({ name, label }) => (
            <button
              key={name}
              type="button"
              aria-pressed={name === range.name}
              onClick={() => setQuery({ range: name })}
            >
              {label}
            </button>
          ))}
        </fieldset>
      </div>
      {due.length === 0 ? (
        <p class="soft">Nothing is due: all schedules are paused or done.</p>
      ) : (
        <>
          <RunAxis rows={due.map(rowOf)} hours={range.hours} say={sayRun} onPick={showRow} />
          <Agenda schedules={due} hours={range.hours} />
          <p class="soft small axis-note">
            ● a task · ◆ a message to Neo · times in your time zone{visible(zone)}.
          </p>
        </>
      )}
    </section>
  )
}

function rowOf(schedule: Schedule): RunRow {
  const { path, name, roomId, kind, nextRuns } = schedule
  const words = whenInWords(schedule)
  return {
    ...{ key: path, label: visible(name), note: roomId, kind, runs: nextRuns, words },
    endless: nextRuns.length >= MOST_RUNS,
  }
}

function sayRun(_row: RunRow, at: string): string {
  return `${clockIn(OWN_ZONE, at)} (${relative(Date.parse(at), now.peek())})`
}

function showRow({ key }: RunRow): void {
  const row = document.getElementById(`schedule:${key}`)
  row?.scrollIntoView({ block: 'nearest' })
  row?.focus()
}

const MOST_AGENDA = 8

/** On a phone, instead of the axis: the next two runs of each schedule, one after the other. */
function Agenda({ schedules, hours }: { readonly schedules: readonly Schedule[]; readonly hours: number }) {
  const until = new Date(now.value + hours * 3_600_000).toISOString()
  const runs = schedules
    .flatMap(({ nextRuns, name, path }) => nextRuns.slice(0, 2).map((at) => ({ at, name, path })))
    .filter(({ at }) => at <= until)
    .toSorted((a, b) => (a.at < b.at ? -1 : 1))
  if (runs.length === 0) return <p class="agenda soft">No run in this time.</p>
  return (
    <ol class="agenda" aria-label="Next runs of all schedules">
      {runs.slice(0, MOST_AGENDA).map(({ at, name, path }) => (
        <li key={`${path} ${at}`} class="row spread">
          <span class="num">{clockIn(OWN_ZONE, at)}</span>
          <span class="clip">{visible(name)}</span>
        </li>
      ))}
    </ol>
  )
}

interface ListProps {
  readonly schedules: readonly Schedule[]
  readonly broken: readonly Broken[]
  readonly onEdit: (schedule: Schedule) => void
}

function List({ schedules, broken, onEdit }: ListProps) {
  return (
    <div class="stack">
      {broken.map(({ path, roomId, name, problems: [problem] }) => (
        <article key={path} class="card schedule" data-state="broken">
          <p>
            <span class="strong">{visible(name)}</span> <span class="soft small">{roomId}</span>
          </p>
          <p class="bad-text wrap">
            <Icon name="warning" /> It doesn't run, because its file can't be read
            {problem?.line == null ? '' : ` (line ${problem.line})`}: {visible(problem?.message ?? '')}
          </p>
          {may('change-home') ? (
            <a class="button" href={addressOf('file', path)}>
              Open the file
            </a>
          ) : null}
        </article>
      ))}
      {schedules.toSorted(soonestFirst).map((schedule) => (
        <ScheduleRow key={schedule.path} schedule={schedule} onEdit={() => onEdit(schedule)} />
      ))}
    </div>
  )
}

/** Those that don't run come last. */
function soonestFirst(a: Schedule, b: Schedule): number {
  const [left, right] = [a, b].map(({ nextAt, path }) => `${nextAt ?? '~'} ${path}`)
  return (left ?? '') < (right ?? '') ? -1 : 1
}
