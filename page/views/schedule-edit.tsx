/** Creates or changes a schedule, with its expression explained in words. */
import { useState } from 'preact/hooks'
import { Button, Dialog, Field } from '../parts/controls.tsx'
import { call } from '../store/rpc.ts'
import { cronInWords } from './schedule-words.ts'
import type { Schedule } from './schedules.tsx'

const KINDS = ['cron', 'every', 'at'] as const
type Kind = (typeof KINDS)[number]
const HELP: Readonly<Record<Kind, string>> = {
  cron: 'Minute, hour, day of month, month, day of week, such as 0 9 * * 1-5',
  every: 'A duration, such as 30m or 1d',
  at: 'A day and time for one run, such as 2026-03-05T09:00',
}

interface ScheduleEditProps {
  /** Null: a new one. */
  readonly schedule: Schedule | null
  readonly rooms: readonly string[]
  readonly onClose: () => void
}

export function ScheduleEdit({ schedule, rooms, onClose }: ScheduleEditProps) {
  const [room, setRoom] = useState(
    schedule?.roomId ?? rooms.find((name) => name !== 'lobby') ?? rooms[0] ?? '',
  )
  const [name, setName] = useState(schedule?.name ?? '')
  const [kind, setKind] = useState<Kind>(kindOf(schedule?.when ?? ''))
  const [when, setWhen] = useState((schedule?.when ?? '0 9 * * 1-5').replace(/^(?:cron|every|at)\s+/, ''))
  const [content, setContent] = useState(schedule?.body ?? '')
  const [makes, setMakes] = useState(schedule?.kind ?? 'task')
  const save = async () => {
    const times = { [kind]: when.trim() }
    if (schedule === null)
      await call('schedule.create', { roomId: room, name, content, kind: makes, ...times })
    else {
      const others = Object.fromEntries(KINDS.filter((one) => one !== kind).map((one) => [one, null]))
      const updates = { content, ...others, ...times }
      await call('schedule.update', { roomId: schedule.roomId, name: schedule.name, updates })
    }
    onClose()
  }
  const remove = async () => {
    if (schedule !== null) await call('schedule.delete', { roomId: schedule.roomId, name: schedule.name })
    onClose()
  }
  return (
    <Dialog title={schedule === null ? 'New schedule' : `Schedule ${schedule.name}`} onClose={onClose}>
      {schedule === null ? (
        <>
          <Field label="Name">
            <input value={name} onInput={({ currentTarget }) => setName(currentTarget.value)} />
          </Field>
          <div class="row">
            <Choice label="Room" value={room} values={rooms} onChange={setRoom} />
            <Choice
              label="Creates"
              value={makes}
              values={['task', 'message']}
              onChange={(one) => setMakes(one as 'task')}
            />
          </div>
        </>
      ) : null}
      <div class="row">
        <Choice label="Kind" value={kind} values={KINDS} onChange={(one) => setKind(one as Kind)} />
        <Field label="When" help={(kind === 'cron' ? cronInWords(when) : null) ?? HELP[kind]}>
          <input class="mono" value={when} onInput={({ currentTarget }) => setWhen(currentTarget.value)} />
        </Field>
      </div>
      <Field label="Text" help="Markdown: the task, or the message to Neo.">
        <textarea rows={8} value={content} onInput={({ currentTarget }) => setContent(currentTarget.value)} />
      </Field>
      <div class="row end">
        {schedule === null ? null : (
          <Button tone="bad" onClick={remove}>
            Delete
          </Button>
        )}
        <span class="grow" />
        <Button onClick={onClose}>Cancel</Button>
        <Button tone="primary" disabled={name.trim() === '' || when.trim() === ''} onClick={save}>
          Save
        </Button>
      </div>
    </Dialog>
  )
}

function kindOf(when: string): Kind {
  return KINDS.find((kind) => when.startsWith(`${kind} `)) ?? 'cron'
}

interface ChoiceProps {
  readonly label: string
  readonly value: string
  readonly values: readonly string[]
  readonly onChange: (value: string) => void
}

function Choice({ label, value, values, onChange }: ChoiceProps) {
  return (
    <Field label={label}>
      <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {values.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
    </Field>
  )
}
