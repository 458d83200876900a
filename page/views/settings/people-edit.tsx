/** Adding a member, and changing their name, role and rooms. */
import { useState } from 'preact/hooks'
import { Button, Dialog, Field } from '../../parts/controls.tsx'
import { visible } from '../../parts/text.ts'
import { isOpen, useRooms } from '../../store/rooms.ts'
import { call } from '../../store/rpc.ts'
import type { Member } from './people.tsx'

const ROLES: Readonly<Record<string, string>> = {
  parent: 'Sees all rooms. Can create and change tasks, also with commands.',
  member: 'Sees the chosen rooms. Can create and change tasks, without commands.',
  guest: 'The same as a member, under another name for groups.',
  child: 'Sees the chosen rooms. Can never decide requests or run commands.',
}

interface EditMemberProps {
  /** Null: a new one. */
  readonly member: Member | null
  readonly onClose: () => void
}

export function EditMember({ member, onClose }: EditMemberProps) {
  const [id, setId] = useState(member?.id ?? '')
  const [name, setName] = useState(member?.name ?? '')
  const [role, setRole] = useState(member?.role ?? 'member')
  const [rooms, setRooms] = useState<readonly string[]>(member?.rooms ?? ['lobby'])
  const save = async () => {
    const given = { ...(name.trim() === '' ? {} : { name: name.trim() }), role }
    const chosen = role === 'parent' ? {} : { rooms }
    if (member === null) await call('member.add', { memberId: id.trim(), ...given, ...chosen })
    else await call('member.update', { memberId: member.id, updates: { ...given, ...chosen } })
    onClose()
  }
  return (
    <Dialog title={member === null ? 'Add a member' : `Edit ${visible(member.name)}`} onClose={onClose}>
      {member === null ? (
        <Field label="Id" help="Lower-case letters, digits and dashes. It never changes.">
          <input value={id} autocomplete="off" onInput={({ currentTarget }) => setId(currentTarget.value)} />
        </Field>
      ) : null}
      <Field label="Name">
        <input
          value={name}
          autocomplete="off"
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
      </Field>
      <Field label="Role" help={ROLES[role] ?? 'A role of your own, with the permissions of a child.'}>
        <select value={role} onChange={({ currentTarget }) => setRole(currentTarget.value)}>
          {[...new Set([...Object.keys(ROLES), role])].map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </Field>
      {role === 'parent' ? null : <RoomChoice chosen={rooms} onChange={setRooms} />}
      <div class="row end">
        <Button onClick={onClose}>Cancel</Button>
        <Button tone="primary" disabled={id.trim() === ''} onClick={save}>
          {member === null ? 'Add' : 'Save'}
        </Button>
      </div>
    </Dialog>
  )
}

interface RoomChoiceProps {
  readonly chosen: readonly string[]
  readonly onChange: (rooms: readonly string[]) => void
}

function RoomChoice({ chosen, onChange }: RoomChoiceProps) {
  const open = (useRooms() ?? []).filter(isOpen)
  // A room that is gone or archived stays as it is in the file.
  const others = chosen.filter((id) => !open.some((room) => room.id === id))
  const all = [...open, ...others.map((id) => ({ id, name: id }))]
  const toggle = (id: string) =>
    onChange(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id])
  return (
    <fieldset class="room-choice-list">
      <legend class="field-label">Rooms</legend>
      {all.map(({ id, name }) => (
        <label key={id} class="row">
          <input type="checkbox" checked={chosen.includes(id)} onChange={() => toggle(id)} />
          {visible(name)}
        </label>
      ))}
    </fieldset>
  )
}
