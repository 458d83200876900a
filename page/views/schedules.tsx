/** Recurring tasks and messages of all rooms: when they run next, and what to do with them. */
import { useEffect, useState } from 'preact/hooks'
import { Button, Empty } from '../parts/controls.tsx'
import { visible } from '../parts/text.ts'
import { Time } from '../parts/time.tsx'
import { useRooms } from '../store/rooms.ts'
import { addressOf, roomAddress } from '../store/routes.ts'
import { call } from '../store/rpc.ts'
import { may } from '../store/session.ts'
import { Loading } from './inbox.tsx'
import { ScheduleEdit } from './schedule-edit.tsx'
import { inWords } from './schedule-words.ts'

export interface Schedule {
  readonly name: string
  readonly roomId: string
  readonly path: string
  readonly when: string
  readonly kind: 'task' | 'message'
  readonly status: 'active' | 'paused' | 'done'
  readonly timezone: string | null
  readonly nextAt: string | null
  readonly body: string
}

export function SchedulesView() {
  const rooms = useRooms()
  const [schedules, setSchedules] = useState<readonly Schedule[] | null>(null)
  const [edited, setEdited] = useState<Schedule | 'new' | null>(null)
  const load = async () => {
    const lists = (rooms ?? []).map(({ id: roomId }) =>
      call<readonly Schedule[]>('schedule.list', { roomId }),
    )
    setSchedules((await Promise.all(lists)).flat())
  }
  useEffect(() => {
    if (rooms !== null) load().catch(() => setSchedules([]))
  }, [rooms])
  if (schedules === null || rooms === null) return <Loading />
  const sorted = schedules.toSorted((a, b) => ((a.nextAt ?? '9') < (b.nextAt ?? '9') ? -1 : 1))
  return (
    <div class="view narrow">
      <header class="view-head row spread">
        <h1>Schedules</h1>
        {rooms.some(({ id }) => may('make-task', id)) ? (
          <Button tone="primary" icon="plus" onClick={() => setEdited('new')}>
            New schedule
          </Button>
        ) : null}
      </header>
      {sorted.length === 0 ? (
        <Empty title="No schedules yet.">
          <p class="soft">A schedule creates a task, or sends Neo a message, at a time that you choose.</p>
        </Empty>
      ) : (
        <div class="stack">
          {sorted.map((schedule) => (
            <Row key={schedule.path} schedule={schedule} onChange={load} onEdit={() => setEdited(schedule)} />
          ))}
        </div>
      )}
      {edited === null ? null : (
        <ScheduleEdit
          schedule={edited === 'new' ? null : edited}
          rooms={rooms.map(({ id }) => id)}
          onClose={() => {
            setEdited(null)
            load().catch(() => {})
          }}
        />
      )}
    </div>
  )
}

interface RowProps {
  readonly schedule: Schedule
  readonly onChange: () => Promise<void>
  readonly onEdit: () => void
}

function Row({ schedule, onChange, onEdit }: RowProps) {
  const { name, roomId, when, status, nextAt, kind, path } = schedule
  const of = { roomId, name }
  const then = (work: () => Promise<unknown>) => async () => {
    await work()
    await onChange()
  }
  const isPaused = status === 'paused'
  return (
    <article class="card row spread">
      <div class="grow min0">
        <p>
          <span class="strong">{visible(name)}</span>{' '}
          <span class="soft small">
            <a href={roomAddress(roomId)}>{roomId}</a> · {kind}
          </span>
        </p>
        <p class="soft wrap">{inWords(when)}</p>
        <p class="soft small">
          {isPaused ? (
            'paused'
          ) : nextAt === null ? (
            status
          ) : (
            <>
              next run <Time at={nextAt} />
            </>
          )}
        </p>
      </div>
      {may('change-task', roomId) ? (
        <div class="row">
          <Button icon="play" onClick={then(() => call('schedule.run', of))}>
            Run now
          </Button>
          <Button
            onClick={then(() =>
              call('schedule.update', { ...of, updates: { status: isPaused ? 'active' : 'paused' } }),
            )}
          >
            {isPaused ? 'Resume' : 'Pause'}
          </Button>
          <Button onClick={onEdit}>Edit</Button>
          {may('change-home') ? <a href={addressOf('file', path)}>File</a> : null}
        </div>
      ) : null}
    </article>
  )
}
