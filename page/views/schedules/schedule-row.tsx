/** One schedule: when, what came of its last runs, what is wrong with it, and what to do with it. */
import { Button, say } from '../../parts/controls.tsx'
import { Icon } from '../../parts/icons.tsx'
import { STATUS_WORDS, StatusMark } from '../../parts/status.tsx'
import { count, duration, visible } from '../../parts/text.ts'
import { Time } from '../../parts/time.tsx'
import { useRooms } from '../../store/rooms.ts'
import { addressOf, roomAddress } from '../../store/routes.ts'
import { call } from '../../store/rpc.ts'
import { may } from '../../store/session.ts'
import type { Schedule } from '../../store/types.ts'
import { clockIn, inWords, isOwnClock, OWN_ZONE, partsOf } from './schedule-words.ts'

type Outcome = Schedule['last'][number]

export function whenInWords({ when }: Schedule): string {
  const { kind, text } = partsOf(when)
  return inWords(kind, text) ?? visible(text)
}

export function ScheduleRow({
  schedule,
  onEdit,
}: {
  readonly schedule: Schedule
  readonly onEdit: () => void
}) {
  const { name, roomId, path, kind, when } = schedule
  const { kind: how, text } = partsOf(when)
  return (
    <article
      class="card schedule"
      id={`schedule:${path}`}
      tabIndex={-1}
      aria-label={`Schedule ${visible(name)}`}
    >
      <div class="grow min0 stack">
        <p>
          <span class="strong">{visible(name)}</span>{' '}
          <span class="soft small">
            <a href={roomAddress(roomId)}>{roomId}</a> ·{' '}
            {kind === 'task' ? 'creates a task' : 'sends a message to Neo'}
          </span>
        </p>
        <p class="wrap">
          {whenInWords(schedule)} {how === 'cron' ? <code class="soft">{visible(text)}</code> : null}
        </p>
        <Next schedule={schedule} />
        <Trouble schedule={schedule} />
        <Outcomes outcomes={schedule.last} />
      </div>
      <Actions schedule={schedule} onEdit={onEdit} />
    </article>
  )
}

function Next({ schedule }: { readonly schedule: Schedule }) {
  const { roomId, status, nextAt, zone, queued } = schedule
  const room = useRooms()?.find(({ id }) => id === roomId)
  if (status === 'paused') return <p class="state-paused">Paused</p>
  if (status === 'done') return <p class="soft">Done: it has no more runs.</p>
  if (room !== undefined && room.status !== 'active')
    return <p class="state-paused">Doesn't run: the room is {room.status}</p>
  if (nextAt === null) return <p class="soft">No next run.</p>
  return (
    <p class="soft">
      Next run <Time at={nextAt} /> · {clockIn(OWN_ZONE, nextAt)}
      {isOwnClock(zone, nextAt) ? '' : ` (${clockIn(zone, nextAt)} in ${visible(zone)})`}
      {queued > 0 ? `. ${count(queued, 'run')} wait for the previous one to end.` : ''}
    </p>
  )
}

function Trouble({ schedule: { problems, skipped, path } }: { readonly schedule: Schedule }) {
  return (
    <>
      {problems.map(({ line, message, severity }) => (
        <p key={`${line} ${message}`} class={severity === 'error' ? 'bad-text wrap' : 'wait-text wrap'}>
          <Icon name="warning" />{' '}
          {may('change-home') ? (
            <a href={addressOf('file', path)}>{line === null ? 'File' : `Line ${line}`}</a>
          ) : null}{' '}
          {visible(message)}
        </p>
      ))}
      {skipped === null ? null : (
        <p class="wait-text small">
          <Icon name="warning" /> {count(skipped.count, 'run was', 'runs were')} skipped, noticed{' '}
          <Time at={skipped.at} />: Neo didn't run, or the previous run hadn't ended.
        </p>
      )}
    </>
  )
}

function Outcomes({ outcomes }: { readonly outcomes: readonly Outcome[] }) {
  const [latest, ...earlier] = outcomes
  if (latest === undefined) return <p class="soft small">It has not run yet.</p>
  return (
    <div class="row outcomes">
      <Latest outcome={latest} />
      {earlier.length === 0 ? null : (
        <ul class="row earlier" aria-label="Earlier runs, newest first">
          <li class="soft small">earlier</li>
          {earlier.map((outcome) => (
            <li key={outcome.path}>
              <OutcomeLink outcome={outcome} isShort />
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function Latest({ outcome }: { readonly outcome: Outcome }) {
  const { at, endedAt, note, status } = outcome
  const took = at !== null && endedAt !== null ? Date.parse(endedAt) - Date.parse(at) : null
  return (
    <p class="min0 wrap">
      <OutcomeLink outcome={outcome} />{' '}
      <span class="soft small">
        {at === null ? null : <Time at={at} />}
        {took === null || took < 0 ? '' : `, took ${duration(took)}`}
      </span>
      {note === null ? null : (
        <span class="outcome-note small wrap" data-failed={status === 'failed'}>
          {visible(note)}
        </span>
      )}
    </p>
  )
}

const WORDS: Readonly<Record<Outcome['status'], string>> = {
  ...STATUS_WORDS,
  waiting: 'Neo has not read it yet',
  answered: 'Neo answered',
}

/** By its status; a task opens beside the list, a message in the chat of its room. */
function OutcomeLink({
  outcome,
  isShort = false,
}: {
  readonly outcome: Outcome
  readonly isShort?: boolean
}) {
  const { taskId, path, status, at } = outcome
  const shape = status === 'waiting' ? 'pending' : status === 'answered' ? 'completed' : status
  const isMessage = status === 'waiting' || status === 'answered'
  const [, room = ''] = path.split('/')
  const address = isMessage ? `/chat/${encodeURIComponent(room)}` : addressOf('task', taskId ?? path)
  const label = isShort && at !== null ? `${WORDS[status]}, ${clockIn(OWN_ZONE, at)}` : WORDS[status]
  return (
    <a href={address} title={label} class="outcome">
      <StatusMark status={shape} word={!isShort} label={label} />
    </a>
  )
}

function Actions({ schedule, onEdit }: { readonly schedule: Schedule; readonly onEdit: () => void }) {
  const { roomId, name, status, kind, path, acts } = schedule
  const of = { roomId, name }
  const set = (next: 'active' | 'paused') => async () => {
    await call('schedule.update', { ...of, updates: { status: next } })
  }
  const run = async () => {
    await call('schedule.run', of)
    say(kind === 'task' ? `${name}: a task was created.` : `${name}: the message was sent to Neo.`)
  }
  return (
    <div class="row schedule-actions">
      {acts.includes('run') ? (
        <Button icon="play" onClick={run}>
          Run now
        </Button>
      ) : null}
      {acts.includes('change') ? (
        <>
          {status === 'done' ? null : (
            <Button onClick={set(status === 'paused' ? 'active' : 'paused')}>
              {status === 'paused' ? 'Resume' : 'Pause'}
            </Button>
          )}
          <Button onClick={onEdit}>Edit</Button>
        </>
      ) : null}
      {may('change-home') ? (
        <a class="small" href={addressOf('file', path)}>
          File
        </a>
      ) : null}
    </div>
  )
}
