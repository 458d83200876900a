/** Creates a task. The text survives a reload until it is sent. */
import { useEffect, useState } from 'preact/hooks'
import { Button, Dialog, Field, say } from '../../parts/controls.tsx'
import { draft } from '../../store/drafts.ts'
import { addressOf, go } from '../../store/routes.ts'
import { call } from '../../store/rpc.ts'
import type { Priority, Room, Task } from '../../store/types.ts'
import { PRIORITIES } from '../room/priorities.ts'

interface NewTaskProps {
  readonly room: string
  readonly status: 'pending' | 'draft'
  readonly onClose: () => void
}

export function NewTask({ room, status, onClose }: NewTaskProps) {
  const { title, text, priority, setPriority, worker, setWorker, roomsWorker, isScript, create } = useNewTask(
    room,
    onClose,
  )
  return (
    <Dialog title={`New task in ${room}`} onClose={onClose}>
      <Field label="Title">
        <input
          value={title.value}
          autofocus
          onInput={({ currentTarget }) => {
            title.value = currentTarget.value
          }}
          onKeyDown={(event) => event.key === 'Enter' && void create(status).catch(say)}
        />
      </Field>
      <Field
        label="Description"
        help={isScript ? 'Markdown. Its sh blocks run as a script.' : 'Markdown: what is wanted.'}
      >
        <textarea
          rows={8}
          value={text.value}
          onInput={({ currentTarget }) => {
            text.value = currentTarget.value
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) create(status).catch(say)
          }}
        />
      </Field>
      <div class="row">
        <PriorityField value={priority} onChange={setPriority} />
        <Field label="Worker">
          <input
            value={worker}
            placeholder={roomsWorker === null ? "the room's" : `${roomsWorker} (of the room)`}
            list="workers"
            onInput={({ currentTarget }) => setWorker(currentTarget.value)}
          />
        </Field>
        <datalist id="workers">
          <option value="agent" />
          <option value="shell" />
          <option value="human" />
        </datalist>
      </div>
      <div class="row end">
        <Button onClick={() => create('draft')}>Save as draft</Button>
        <Button tone="primary" onClick={() => create('pending')}>
          Create
        </Button>
      </div>
    </Dialog>
  )
}

function useNewTask(room: string, onClose: () => void) {
  const title = draft(`new title ${room}`)
  const text = draft(`new text ${room}`)
  const [priority, setPriority] = useState<Priority>('normal')
  const [worker, setWorker] = useState('')
  const roomsWorker = useWorkerOf(room)
  const isScript = (worker.trim() === '' ? roomsWorker : worker.trim()) === 'shell'
  const create = async (as: 'pending' | 'draft') => {
    if (title.value.trim() === '') return say('Type a title first.')
    if (as === 'pending' && isScript && !SCRIPT.test(text.value)) return say(NO_SCRIPT)
    const task = await call<Task>('task.create', {
      roomId: room,
      title: title.value.trim(),
      description: text.value.trim() === '' ? title.value.trim() : text.value,
      priority,
      status: as,
      ...(worker.trim() === '' ? {} : { worker: worker.trim() }),
    })
    title.value = ''
    text.value = ''
    onClose()
    go(addressOf('task', task.id ?? `${task.roomId}/${task.name}`))
  }
  return { title, text, priority, setPriority, worker, setWorker, roomsWorker, isScript, create }
}

interface PriorityFieldProps {
  readonly value: Priority
  readonly onChange: (value: Priority) => void
}

function PriorityField({ value, onChange }: PriorityFieldProps) {
  return (
    <Field label="Priority">
      <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value as Priority)}>
        {PRIORITIES.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </Field>
  )
}

const SCRIPT = /^ {0,3}```(?:sh|shell|bash)\b/m
const NO_SCRIPT =
  'This task runs a script, and has none. Add a block that begins with ```sh, choose another worker such as human, or save it as a draft.'

/** Null until it is known. */
function useWorkerOf(room: string): string | null {
  const [worker, setWorker] = useState<string | null>(null)
  useEffect(() => {
    call<Room>('room.get', { roomId: room }).then(
      (found) => setWorker(found.worker ?? 'agent'),
      () => {},
    )
  }, [room])
  return worker
}
