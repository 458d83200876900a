/** Creates or changes a schedule. Its time is explained in words, with the next runs, while it is typed. */
import { useState } from 'preact/hooks'
import { Button, Dialog, Field } from '../../parts/controls.tsx'
import { draft } from '../../store/drafts.ts'
import { call } from '../../store/rpc.ts'
import type { Schedule } from '../../store/types.ts'
import { NewFields, RuleFields } from './schedule-fields.tsx'
import { WhenField } from './schedule-when.tsx'
import { KINDS, type Kind, partsOf } from './schedule-words.ts'
import { useScheduleCheck } from './use-schedule-check.ts'

/** What the form holds. */
export interface Form {
  readonly room: string
  readonly name: string
  readonly makes: 'task' | 'message'
  readonly kind: Kind
  readonly when: string
  /** '' for the home's. */
  readonly zone: string
  readonly catchUp: Schedule['catchUp']
  readonly overlap: Schedule['overlap']
  readonly content: string
}

interface ScheduleEditProps {
  /** Null: a new one. */
  readonly schedule: Schedule | null
  /** Rooms that it can be created in. */
  readonly rooms: readonly string[]
  /** The room that the list shows. */
  readonly room: string | null
  readonly homeZone: string
  readonly onClose: () => void
}

export function ScheduleEdit({ schedule, rooms, room, homeZone, onClose }: ScheduleEditProps) {
  const text = draft(`schedule ${schedule?.path ?? 'new'}`)
  const [form, setForm] = useState<Form>(() => ({
    ...formOf(schedule, room !== null && rooms.includes(room) ? room : firstOf(rooms)),
    ...(text.peek() === '' ? {} : { content: text.peek() }),
  }))
  const change = (part: Partial<Form>) => {
    if (part.content !== undefined) text.value = part.content
    setForm((before) => ({ ...before, ...part }))
  }
  const checked = useScheduleCheck({ ...form, name: schedule?.name })
  const isWrong = checked?.problems.some(({ severity }) => severity === 'error') === true
  const isReady = form.name.trim() !== '' && form.when.trim() !== '' && !isWrong
  const close = () => {
    text.value = ''
    onClose()
  }
  const save = async () => {
    if (schedule === null) await call('schedule.create', created(form))
    else {
      const updates = updatesOf(form, formOf(schedule, ''))
      const { roomId, name } = schedule
      if (Object.keys(updates).length > 0) await call('schedule.update', { roomId, name, updates })
    }
    close()
  }
  return (
    <Dialog title={schedule === null ? 'New schedule' : `Schedule ${schedule.name}`} onClose={onClose}>
      {schedule === null ? <NewFields form={form} rooms={rooms} onChange={change} /> : null}
      <WhenField form={form} checked={checked} homeZone={homeZone} onChange={change} />
      <Field
        label={form.makes === 'task' ? 'Task' : 'Message to Neo'}
        help={form.makes === 'task' ? 'Markdown. The first heading becomes the title.' : 'Markdown.'}
      >
        <textarea
          rows={7}
          value={form.content}
          onInput={({ currentTarget }) => change({ content: currentTarget.value })}
        />
      </Field>
      <RuleFields form={form} onChange={change} />
      <div class="row end">
        {schedule === null || !schedule.acts.includes('delete') ? null : (
          <Delete schedule={schedule} onDone={close} />
        )}
        <span class="grow" />
        <Button onClick={close}>Cancel</Button>
        <Button tone="primary" disabled={!isReady} onClick={save}>
          {schedule === null ? 'Create' : 'Save'}
        </Button>
      </div>
    </Dialog>
  )
}

/** The second press deletes. */
function Delete({ schedule, onDone }: { readonly schedule: Schedule; readonly onDone: () => void }) {
  const [isSure, setSure] = useState(false)
  const remove = async () => {
    if (!isSure) return setSure(true)
    await call('schedule.delete', { roomId: schedule.roomId, name: schedule.name })
    onDone()
  }
  return (
    <Button tone="bad" title="Tasks that it created stay" onClick={remove}>
      {isSure ? 'Delete for good' : 'Delete'}
    </Button>
  )
}

function firstOf(rooms: readonly string[]): string {
  return rooms.find((name) => name !== 'lobby') ?? rooms[0] ?? ''
}

function formOf(schedule: Schedule | null, room: string): Form {
  const { kind, text } = partsOf(schedule?.when ?? 'cron 0 9 * * 1-5')
  return {
    room: schedule?.roomId ?? room,
    name: schedule?.name ?? '',
    makes: schedule?.kind ?? 'task',
    kind,
    when: text,
    zone: schedule?.timezone ?? '',
    catchUp: schedule?.catchUp ?? 'latest',
    overlap: schedule?.overlap ?? 'skip',
    content: schedule?.body.trim() ?? '',
  }
}

function created({ room, name, content, makes, kind, when, zone, catchUp, overlap }: Form) {
  return {
    ...{ roomId: room, name: name.trim(), content, kind: makes, [kind]: when.trim() },
    ...(zone.trim() === '' ? {} : { timezone: zone.trim() }),
    ...(catchUp === 'latest' ? {} : { catchUp }),
    ...(overlap === 'skip' ? {} : { overlap }),
  }
}

/** Only what was changed, so that a change in the file meanwhile stays. */
function updatesOf(form: Form, before: Form): Record<string, unknown> {
  const { kind, when, zone, catchUp, overlap, content } = form
  const isOther = kind !== before.kind || when.trim() !== before.when
  const none = Object.fromEntries(KINDS.map((one) => [one, null]))
  return {
    ...(isOther ? { ...none, [kind]: when.trim() } : {}),
    ...(zone.trim() === before.zone ? {} : { timezone: zone.trim() === '' ? null : zone.trim() }),
    ...(catchUp === before.catchUp ? {} : { catchUp }),
    ...(overlap === before.overlap ? {} : { overlap }),
    ...(content === before.content ? {} : { content }),
  }
}
