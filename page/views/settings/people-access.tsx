/** How a member gets in: a token for the page and the API, a linked account of a chat service. Both are shown once. */
import { useState } from 'preact/hooks'
import { CHANNEL_KINDS, type ChannelName, pairText } from '../../../src/domain/policy/channel-kinds.ts'
import { Confirm, CopyField } from '../../parts/confirm.tsx'
import { Button, Dialog, Field, say } from '../../parts/controls.tsx'
import { visible } from '../../parts/text.ts'
import { call } from '../../store/rpc.ts'
import type { Member } from './people.tsx'

interface AccessProps {
  readonly member: Member
  readonly onClose: () => void
}

const LIFETIMES = [
  ['7', '7 days'],
  ['30', '30 days'],
  ['90', '90 days'],
  ['', 'Does not expire'],
] as const

interface Made {
  readonly token: string
  readonly expiresAt: string | null
}

export function TokenDialog({ member, onClose }: AccessProps) {
  const [days, setDays] = useState('90')
  const [made, setMade] = useState<Made | null>(null)
  const [isRevoking, setRevoking] = useState(false)
  const { id, name, token } = member
  const create = async () => {
    const expiry = days === '' ? {} : { expiresInDays: Number(days) }
    setMade(await call<Made>('member.token', { memberId: id, ...expiry }))
  }
  if (isRevoking) return <RevokeToken member={member} onClose={onClose} />
  if (made !== null) return <Invite name={name} made={made} onClose={onClose} />
  return (
    <Dialog title={`Token of ${visible(name)}`} onClose={onClose}>
      <p>
        {token === null
          ? 'With a token, they sign in on this page and use the API.'
          : 'A new token replaces the present one at once, and ends all sign-ins with it.'}
      </p>
      <Field label="Valid for">
        <select value={days} onChange={({ currentTarget }) => setDays(currentTarget.value)}>
          {LIFETIMES.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      </Field>
      <div class="row end">
        {token === null ? null : (
          <Button tone="bad" onClick={() => setRevoking(true)}>
            Revoke token
          </Button>
        )}
        <Button tone="primary" onClick={create}>
          Create token
        </Button>
      </div>
    </Dialog>
  )
}

function RevokeToken({ member: { id, name }, onClose }: AccessProps) {
  return (
    <Confirm
      title={`Revoke the token of ${visible(name)}?`}
      verb="Revoke token"
      onClose={onClose}
      onConfirm={async () => void (await call('member.revoke', { memberId: id }))}
    >
      <p>Everybody who signed in with it is signed out at once. You can create a new one later.</p>
    </Confirm>
  )
}

interface InviteProps {
  readonly name: string
  readonly made: Made
  readonly onClose: () => void
}

const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'long' })

function Invite({ name, made: { token, expiresAt }, onClose }: InviteProps) {
  const until = expiresAt === null ? '' : ` It works until ${DAY.format(Date.parse(expiresAt))}.`
  const text = `Hello ${visible(name)},\n\nopen ${location.origin} and sign in with this token:\n\n${token}\n\nKeep it to yourself.${until}`
  return (
    <Dialog title="The token is shown only once" onClose={onClose}>
      <p>Send this invitation to {visible(name)} in a private message, or copy the token alone.</p>
      {LOOPBACK.test(location.hostname) ? (
        <p class="note small">
          This address works only on this computer. To let others in, put a TLS proxy in front of Neo
          (docs/http.md), and open this page at its address.
        </p>
      ) : null}
      <CopyField label="Invitation" text={text} />
      <CopyField label="Access token" text={token} />
      <div class="row end">
        <Button tone="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  )
}

interface Pairing {
  readonly code: string
  readonly link: string | null
  readonly isSetUp: boolean
}

interface AccountProps extends AccessProps {
  readonly channel: ChannelName
}

export function AccountDialog({ member, channel, onClose }: AccountProps) {
  const [pairing, setPairing] = useState<Pairing | null>(null)
  const [wasLinked] = useState(member.accounts.includes(channel))
  const { id, name, accounts } = member
  const { title, pairHow } = CHANNEL_KINDS[channel]
  const isLinked = accounts.includes(channel)
  if (isLinked && wasLinked) return <Unlink member={member} channel={channel} onClose={onClose} />
  if (isLinked)
    return (
      <Dialog title={`${visible(name)} is linked`} onClose={onClose}>
        <p>Their {title} account can talk to Neo now.</p>
        <div class="row end">
          <Button tone="primary" onClick={onClose}>
            Done
          </Button>
        </div>
      </Dialog>
    )
  return (
    <Dialog title={`Link the ${title} account of ${visible(name)}`} onClose={onClose}>
      {pairing === null ? (
        <p>Create a code and send it to them. It works once, within 15 minutes.</p>
      ) : (
        <>
          <p>{pairing.link === null ? 'They send this to the bot, in a private chat:' : pairHow}</p>
          {pairing.isSetUp ? null : (
            <p class="note small">
              {title} isn't set up in this home yet. Set channels.{channel} in neo.yaml first (docs/
              {channel}.md).
            </p>
          )}
          <CopyField label="Pairing code" text={pairing.link ?? pairText(channel, pairing.code)} />
          <p class="soft small" role="status">
            It works once, within 15 minutes. This dialog tells you when they are linked.
          </p>
        </>
      )}
      <div class="row end">
        <Button onClick={onClose}>Close</Button>
        <Button
          tone="primary"
          onClick={async () => setPairing(await call<Pairing>('member.pair', { memberId: id, channel }))}
        >
          {pairing === null ? 'Create code' : 'New code'}
        </Button>
      </div>
    </Dialog>
  )
}

function Unlink({ member: { id, name }, channel, onClose }: AccountProps) {
  return (
    <Confirm
      title={`Unlink the ${CHANNEL_KINDS[channel].title} account of ${visible(name)}?`}
      verb="Unlink"
      onClose={onClose}
      onConfirm={async () => {
        await call('member.unpair', { memberId: id, channel })
        say('Unlinked.')
      }}
    >
      <p>The account can no longer talk to Neo. You can link it again with a new code.</p>
    </Confirm>
  )
}
