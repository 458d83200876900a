/** An agent of another home: how it is, what it works on; asking it, and ending its access. */
import { useState } from 'preact/hooks'
import { Confirm } from '../../parts/confirm.tsx'
import { Button, say } from '../../parts/controls.tsx'
import { visible } from '../../parts/text.ts'
import { Time } from '../../parts/time.tsx'
import { addressOf, agentActivity } from '../../store/routes.ts'
import { call } from '../../store/rpc.ts'
import { may } from '../../store/session.ts'
import type { AskedQuestion, PeerAgent } from './agent-types.ts'
import { AgentToken } from './agent-token.tsx'
import { AskPeer } from './ask-peer.tsx'
import { FingerprintPair } from './key-fingerprint.tsx'

const WORDS: Readonly<Record<PeerAgent['status'], string>> = {
  online: 'Online',
  busy: 'Busy',
  offline: 'Offline',
  revoked: 'Revoked',
}
const CIRCLE = 'M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11'
const SHAPES: Readonly<Record<PeerAgent['status'], string>> = {
  online: `${CIRCLE}M5.5 8l2 2 3-3.5`,
  busy: `${CIRCLE}M8 5v3l2 1.5`,
  offline: `${CIRCLE}M5.5 8h5`,
  revoked: `${CIRCLE}M6 6l4 4M10 6l-4 4`,
}

interface PeerCardProps {
  readonly peer: PeerAgent
  readonly asked: readonly AskedQuestion[]
  /** The protocol is on. */
  readonly isOn: boolean
}

export function PeerCard({ peer, asked, isOn }: PeerCardProps) {
  const [open, setOpen] = useState<'ask' | 'token' | 'revoke' | null>(null)
  const { id, status, endpoint, publicKey } = peer
  const mayChange = status !== 'revoked' && may('change-home')
  const mayAsk = isOn && mayChange && endpoint !== null
  return (
    <li class="card peer" aria-label={`Agent ${visible(id)}`} data-status={status}>
      <div class="row spread wrap-row">
        <p class="row wrap-row">
          <Status status={status} />
          <a class="strong" href={addressOf('file', `workspace/agents/${id}.md`)}>
            {visible(id)}
          </a>
          <span class="soft small">{whoOf(peer)}</span>
        </p>
        <div class="row wrap-row">
          {mayAsk ? (
            <Button icon="chat" onClick={() => setOpen(open === 'ask' ? null : 'ask')}>
              Ask
            </Button>
          ) : null}
          <a class="button" href={agentActivity(id)}>
            Activity
          </a>
          {mayChange ? (
            <>
              <Button onClick={() => setOpen('token')}>Token</Button>
              <Button tone="bad" onClick={() => setOpen('revoke')}>
                Revoke
              </Button>
            </>
          ) : null}
        </div>
      </div>
      <Facts peer={peer} />
      {publicKey === null ? (
        <p class="wait-text small">It has no key: signed requests are refused until its file has one.</p>
      ) : null}
      {open === 'ask' ? <AskPeer peer={peer} asked={asked} onClose={() => setOpen(null)} /> : null}
      {open === 'token' ? <AgentToken id={id} onClose={() => setOpen(null)} /> : null}
      {open === 'revoke' ? <Revoke id={id} onClose={() => setOpen(null)} /> : null}
    </li>
  )
}

function Status({ status }: { readonly status: PeerAgent['status'] }) {
  return (
    <span class="peer-status" data-status={status}>
      <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
        <path d={SHAPES[status]} />
      </svg>
      {WORDS[status]}
    </span>
  )
}

function whoOf({ role, owner, member }: PeerAgent): string {
  const parts = [role, owner === null ? null : `of ${owner}`, member === null ? null : `machine of ${member}`]
  return parts
    .filter((part) => part !== null)
    .map(visible)
    .join(' · ')
}

function Facts({ peer: { lastSeenAt, endpoint, contexts, publicKey } }: { readonly peer: PeerAgent }) {
  return (
    <dl class="pairs small">
      <dt>Last seen</dt>
      <dd>{lastSeenAt === null ? 'never' : <Time at={lastSeenAt} />}</dd>
      <dt>Endpoint</dt>
      <dd>
        {endpoint === null ? 'none: it can ask you, but you can’t ask it' : <code>{visible(endpoint)}</code>}
      </dd>
      {contexts.length === 0 ? null : (
        <>
          <dt>Works on</dt>
          <dd>{contexts.map(({ type, identifier }) => `${type} ${visible(identifier)}`).join(', ')}</dd>
        </>
      )}
      <FingerprintPair publicKey={publicKey} />
    </dl>
  )
}

function Revoke({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  return (
    <Confirm
      title={`Revoke ${visible(id)}?`}
      verb="Revoke"
      onClose={onClose}
      onConfirm={async () => {
        await call('agent.revoke', { agentId: id })
        say(`${id} has no access any more.`)
      }}
    >
      <p>It loses all access at once. Work that it started here stops. Its file stays as a record.</p>
    </Confirm>
  )
}
