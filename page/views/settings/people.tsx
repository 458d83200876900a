/** The people of the home: roles, rooms, accounts and access tokens. Live. */
import '../../style/settings.css'
import { useState } from 'preact/hooks'
import { CHANNEL_KINDS, CHANNEL_NAMES, type ChannelName } from '../../../src/domain/policy/channel-kinds.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Button, Empty } from '../../parts/controls.tsx'
import { visible } from '../../parts/text.ts'
import { Time } from '../../parts/time.tsx'
import { useChannel } from '../../store/channels.ts'
import { call } from '../../store/rpc.ts'
import { EditMember } from './people-edit.tsx'
import { AccountDialog, TokenDialog } from './people-access.tsx'

export interface Member {
  readonly id: string
  readonly name: string
  readonly role: string
  /** Null: all rooms. */
  readonly rooms: readonly string[] | null
  readonly suspended: boolean
  /** Channels on which an account is linked. */
  readonly accounts: readonly string[]
  readonly token: {
    readonly createdAt: string
    readonly expiresAt: string | null
    readonly lastUsedAt: string | null
  } | null
}

type Open =
  | { readonly kind: 'add' }
  | { readonly kind: 'edit' | 'token' | 'remove'; readonly id: string }
  | { readonly kind: 'account'; readonly id: string; readonly channel: ChannelName }

const TITLES = CHANNEL_NAMES.map((name) => CHANNEL_KINDS[name].title)

export function People() {
  const { value, error } = useChannel<{ readonly members: Readonly<Record<string, Member>> }>('members')
  const [open, setOpen] = useState<Open | null>(null)
  if (error.value !== null) return <Empty title="Only the owner sees the people of this home." />
  if (value.value === undefined) return <div aria-busy="true" />
  const members = Object.values(value.value.members).toSorted((a, b) => a.name.localeCompare(b.name))
  const close = () => setOpen(null)
  return (
    <>
      <p class="row spread wrap-row">
        <span class="soft small">Members see their rooms only, and do what their role allows.</span>
        <Button tone="primary" icon="plus" onClick={() => setOpen({ kind: 'add' })}>
          Add a member
        </Button>
      </p>
      {members.length === 0 ? (
        <Empty title="No members yet.">
          <p class="soft">
            Add somebody, then give them a token for this page or link their {TITLES.join(' or ')} account.
          </p>
        </Empty>
      ) : (
        <ul class="people" aria-label="Members">
          {members.map((member) => (
            <MemberRow key={member.id} member={member} onOpen={setOpen} />
          ))}
        </ul>
      )}
      {open === null ? null : <OpenDialog open={open} members={value.value.members} onClose={close} />}
    </>
  )
}

interface OpenDialogProps {
  readonly open: Open
  readonly members: Readonly<Record<string, Member>>
  readonly onClose: () => void
}

function OpenDialog({ open, members, onClose }: OpenDialogProps) {
  if (open.kind === 'add') return <EditMember member={null} onClose={onClose} />
  const member = members[open.id]
  if (member === undefined) return null
  switch (open.kind) {
    case 'edit':
      return <EditMember member={member} onClose={onClose} />
    case 'token':
      return <TokenDialog member={member} onClose={onClose} />
    case 'account':
      return <AccountDialog member={member} channel={open.channel} onClose={onClose} />
    case 'remove':
      return (
        <Confirm
          title={`Remove ${visible(member.name)}?`}
          verb="Remove"
          onClose={onClose}
          onConfirm={async () => void (await call('member.remove', { memberId: member.id }))}
        >
          <p>They lose access at once. Their token and their sign-ins end. What they wrote stays.</p>
          <p class="soft small">To take access away only for a while, suspend them instead.</p>
        </Confirm>
      )
  }
}

function MemberRow({ member, onOpen }: { readonly member: Member; readonly onOpen: (open: Open) => void }) {
  const { id, name, role, rooms, suspended, accounts } = member
  const open = (kind: 'edit' | 'token' | 'remove') => () => onOpen({ kind, id })
  const suspend = async () =>
    void (await call('member.update', { memberId: id, updates: { suspended: !suspended } }))
  return (
    <li>
      <div class="min0 grow">
        <p class="strong wrap">
          {visible(name)} {suspended ? <span class="label">suspended</span> : null}
        </p>
        <p class="soft small wrap">
          {id} · {visible(role)} · {roomsText(rooms)}
        </p>
        <p class="soft small wrap">
          <TokenText member={member} />
          {CHANNEL_NAMES.map((channel) => {
            const isLinked = accounts.includes(channel)
            return ` · ${CHANNEL_KINDS[channel].title} ${isLinked ? 'linked' : 'not linked'}`
          })}
        </p>
      </div>
      <fieldset class="row wrap-row plain" aria-label={`Actions for ${visible(name)}`}>
        <Button onClick={open('edit')}>Edit</Button>
        <Button onClick={open('token')}>Token</Button>
        {CHANNEL_NAMES.map((channel) => (
          <Button key={channel} onClick={() => onOpen({ kind: 'account', id, channel })}>
            {CHANNEL_KINDS[channel].title}
          </Button>
        ))}
        <Button onClick={suspend}>{suspended ? 'Give access back' : 'Suspend'}</Button>
        <Button tone="bad" onClick={open('remove')}>
          Remove
        </Button>
      </fieldset>
    </li>
  )
}

function roomsText(rooms: Member['rooms']): string {
  return rooms === null ? 'all rooms' : rooms.map(visible).join(', ') || 'no rooms'
}

function TokenText({ member: { token } }: { readonly member: Member }) {
  if (token === null) return <>no token</>
  const { expiresAt, lastUsedAt } = token
  const isOver = expiresAt !== null && Date.parse(expiresAt) <= Date.now()
  return (
    <>
      {isOver ? 'token expired ' : 'token'}
      {expiresAt === null ? null : (
        <>
          {isOver ? '' : ', expires '}
          <Time at={expiresAt} />
        </>
      )}
      {lastUsedAt === null ? (
        ', never used'
      ) : (
        <>
          , used <Time at={lastUsedAt} />
        </>
      )}
    </>
  )
}
