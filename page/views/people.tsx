/** Members: roles, rooms, accounts, access tokens. */
import { useEffect, useState } from 'preact/hooks'
import { Button, Dialog, Empty, Field } from '../parts/controls.tsx'
import { visible } from '../parts/text.ts'
import { call } from '../store/rpc.ts'
import { may } from '../store/session.ts'

interface Member {
  readonly id: string
  readonly name: string
  readonly role: string
  /** Null: all rooms. */
  readonly rooms: readonly string[] | null
  readonly channels: Readonly<Record<string, string>>
  readonly hasToken: boolean
}

const ROLES = ['parent', 'member', 'guest', 'child'] as const

/** What is shown once: a token or a pairing code. */
interface Secret {
  readonly title: string
  readonly text: string
  readonly help: string
}

export function People() {
  const [members, setMembers] = useState<readonly Member[] | null>(null)
  const [error, setError] = useState<string | null>(null)
  const [isNew, setNew] = useState(false)
  const [secret, setSecret] = useState<Secret | null>(null)
  const load = () =>
    call<readonly Member[]>('member.list').then(setMembers, (failure: Error) => setError(failure.message))
  useEffect(() => void load(), [])
  if (error !== null) return <Empty title={error} />
  if (members === null) return <div aria-busy="true" />
  return (
    <div class="stack">
      {may('change-home') ? (
        <div class="row end">
          <Button tone="primary" icon="plus" onClick={() => setNew(true)}>
            Add a member
          </Button>
        </div>
      ) : null}
      {members.length === 0 ? (
        <Empty title="No members yet.">
          <p class="soft">Members get a token for this page, or talk to Neo on Telegram.</p>
        </Empty>
      ) : null}
      {members.map((member) => (
        <MemberCard key={member.id} member={member} onChange={load} onSecret={setSecret} />
      ))}
      {isNew ? <NewMember onClose={() => setNew(false)} onAdded={load} /> : null}
      {secret === null ? null : <Shown secret={secret} onClose={() => setSecret(null)} />}
    </div>
  )
}

interface MemberCardProps {
  readonly member: Member
  readonly onChange: () => Promise<void>
  readonly onSecret: (secret: Secret) => void
}

function MemberCard({ member, onChange, onSecret }: MemberCardProps) {
  const { id, name, role, rooms, channels, hasToken } = member
  const accounts = Object.keys(channels)
  return (
    <article class="card row spread">
      <div class="grow min0">
        <p class="strong">{visible(name)}</p>
        <p class="soft small wrap">
          {id} · {role} · {rooms === null ? 'all rooms' : rooms.join(', ') || 'no rooms'}
          {accounts.length === 0 ? '' : ` · ${accounts.join(', ')}`}
          {hasToken ? ' · has a token' : ''}
        </p>
      </div>
      {may('change-home') ? (
        <MemberActions id={id} hasToken={hasToken} onChange={onChange} onSecret={onSecret} />
      ) : null}
    </article>
  )
}

interface MemberActionsProps extends Pick<MemberCardProps, 'onChange' | 'onSecret'> {
  readonly id: string
  readonly hasToken: boolean
}

function MemberActions({ id, hasToken, onChange, onSecret }: MemberActionsProps) {
  const [isSure, setSure] = useState(false)
  const token = async () => {
    const made = await call<{ readonly token: string }>('member.token', { memberId: id })
    onSecret({
      title: 'Access token',
      text: made.token,
      help: 'It is shown only once. The member enters it on the sign-in page.',
    })
    await onChange()
  }
  const pair = async () => {
    const made = await call<{ readonly code: string; readonly link: string | null }>('member.pair', {
      memberId: id,
    })
    onSecret({
      title: 'Pairing code',
      text: made.link ?? made.code,
      help: 'It works once, within 15 minutes.',
    })
  }
  const revoke = async () => {
    await call('member.revoke', { memberId: id })
    await onChange()
  }
  const remove = async () => {
    if (!isSure) return setSure(true)
    await call('member.remove', { memberId: id })
    await onChange()
  }
  return (
    <div class="row">
      <Button onClick={token}>{hasToken ? 'New token' : 'Create token'}</Button>
      {hasToken ? <Button onClick={revoke}>Revoke token</Button> : null}
      <Button onClick={pair}>Pair Telegram</Button>
      <Button tone="bad" onClick={remove}>
        {isSure ? 'Really remove?' : 'Remove'}
      </Button>
    </div>
  )
}

function Shown({
  secret: { title, text, help },
  onClose,
}: {
  readonly secret: Secret
  readonly onClose: () => void
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      <input
        class="mono"
        readOnly
        value={text}
        aria-label={title}
        onFocus={({ currentTarget }) => currentTarget.select()}
      />
      <p class="soft small">{help}</p>
      <div class="row end">
        <Button onClick={() => navigator.clipboard.writeText(text)}>Copy</Button>
        <Button tone="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  )
}

function NewMember({
  onClose,
  onAdded,
}: {
  readonly onClose: () => void
  readonly onAdded: () => Promise<void>
}) {
  const [id, setId] = useState('')
  const [role, setRole] = useState<string>('member')
  const [rooms, setRooms] = useState('')
  const add = async () => {
    const list = rooms
      .split(',')
      .map((room) => room.trim())
      .filter((room) => room !== '')
    await call('member.add', { memberId: id.trim(), role, ...(list.length === 0 ? {} : { rooms: list }) })
    onClose()
    await onAdded()
  }
  return (
    <Dialog title="Add a member" onClose={onClose}>
      <Field label="Id" help="Lower-case letters, digits and dashes">
        <input value={id} onInput={({ currentTarget }) => setId(currentTarget.value)} />
      </Field>
      <Field label="Role">
        <select value={role} onChange={({ currentTarget }) => setRole(currentTarget.value)}>
          {ROLES.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </Field>
      <Field label="Rooms" help="Separate with commas. Empty: the lobby only; a parent sees all rooms.">
        <input value={rooms} onInput={({ currentTarget }) => setRooms(currentTarget.value)} />
      </Field>
      <div class="row end">
        <Button onClick={onClose}>Cancel</Button>
        <Button tone="primary" disabled={id.trim() === ''} onClick={add}>
          Add
        </Button>
      </div>
    </Dialog>
  )
}
