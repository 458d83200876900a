/** A new fact, for a room or a conversation. */
import { useState } from 'preact/hooks'
import { Button, Field, say } from '../../parts/controls.tsx'
import { visible } from '../../parts/text.ts'
import { draft } from '../../store/drafts.ts'
import { call } from '../../store/rpc.ts'
import { may } from '../../store/session.ts'
import { TYPES } from './memory-words.ts'
import type { MemoryPlace } from './use-memories.ts'

interface AddProps {
  readonly places: readonly MemoryPlace[]
  readonly room: string
  readonly scope: string
  readonly onAdded: () => Promise<void>
  readonly onClose: () => void
}

export function AddMemory({ places, room, scope, onAdded, onClose }: AddProps) {
  const allowed = places.filter(({ roomId }) => roomId === null || may('remember', roomId))
  const keyOf = (one: MemoryPlace) => (one.roomId === null ? `scope ${one.scopeId}` : `room ${one.roomId}`)
  const here = scope === '' ? `room ${room}` : `scope ${scope}`
  const [chosen, setTarget] = useState('')
  const first = allowed.find((one) => keyOf(one) === here) ?? allowed[0]
  const target = chosen === '' ? (first === undefined ? '' : keyOf(first)) : chosen
  const [type, setType] = useState('note')
  const text = draft('memory')
  const add = async () => {
    const content = text.value.trim()
    const id = target.slice(target.indexOf(' ') + 1)
    if (target.startsWith('scope ')) await call('scope.remember', { scopeId: id, content })
    else await call('memory.add', { roomId: id, type, content })
    text.value = ''
    say('Saved.')
    onClose()
    await onAdded()
  }
  return (
    <div class="card stack memory-add">
      <Field label="New fact" help="One fact, no secrets. Ctrl-Enter saves.">
        <textarea
          rows={2}
          value={text.value}
          autofocus
          onInput={({ currentTarget }) => {
            text.value = currentTarget.value
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) add().catch(say)
          }}
        />
      </Field>
      <div class="memory-fields">
        <Field label="For">
          <select value={target} onChange={({ currentTarget }) => setTarget(currentTarget.value)}>
            {allowed.map((one) => (
              <option key={keyOf(one)} value={keyOf(one)}>
                {visible(one.roomId === 'lobby' ? `${one.name} (whole home)` : one.name)}
              </option>
            ))}
          </select>
        </Field>
        {target.startsWith('scope ') ? null : (
          <Field label="Type">
            <select value={type} onChange={({ currentTarget }) => setType(currentTarget.value)}>
              {TYPES.map(([name, label]) => (
                <option key={name} value={name}>
                  {label}
                </option>
              ))}
            </select>
          </Field>
        )}
      </div>
      <div class="row end">
        <Button onClick={onClose}>Cancel</Button>
        <Button tone="primary" disabled={text.value.trim() === '' || target === ''} onClick={add}>
          Save
        </Button>
      </div>
    </div>
  )
}
