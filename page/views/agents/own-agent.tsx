/** This home's own agent: where it is reached, and its file for others. If the protocol is off: how to turn it on. */
import { CopyField } from '../../parts/confirm.tsx'
import { Button, say } from '../../parts/controls.tsx'
import { Icon } from '../../parts/icons.tsx'
import { visible } from '../../parts/text.ts'
import { addressOf } from '../../store/routes.ts'
import { call } from '../../store/rpc.ts'
import { may } from '../../store/session.ts'
import type { OwnAgent } from './agent-types.ts'
import { FingerprintPair } from './key-fingerprint.tsx'

export function OwnAgentCard({ self }: { readonly self: OwnAgent | null }) {
  return (
    <section class="card own-agent" aria-label="Your agent">
      <h2>Your agent</h2>
      {self === null ? <TurnOn /> : <Details self={self} />}
    </section>
  )
}

function TurnOn() {
  return (
    <>
      <p>The agent protocol is off. Agents of other homes can't reach this one. To turn it on:</p>
      <ol class="turn-on">
        <li>
          Add <code>agent:</code> with an <code>id</code>, such as <code>id: eng-suzuki</code>, to{' '}
          <a href={addressOf('file', 'neo.yaml')}>neo.yaml</a>.
        </li>
        <li>
          Say what you share: list repositories and their rooms under <code>agent.contexts</code>.
        </li>
        <li>
          Run <code>neo trust</code> in a terminal, to allow the new settings.
        </li>
        <li>Come back here, create the key, and add the agents that you know.</li>
      </ol>
    </>
  )
}

function Details({ self }: { readonly self: OwnAgent }) {
  const { id, role, owner, endpoint, publicKey } = self
  return (
    <>
      <dl class="pairs">
        <dt>Id</dt>
        <dd class="strong">{visible(id)}</dd>
        <dt>Role, owner</dt>
        <dd>
          {visible(role)}, {visible(owner)}
        </dd>
        <dt>Endpoint</dt>
        <dd>
          {endpoint === null ? (
            <p class="wait-text small">
              Others don't know where to reach it. Set <code>agent.endpoint</code> in neo.yaml.
            </p>
          ) : (
            <code>{visible(endpoint)}</code>
          )}
        </dd>
        <dt>Status</dt>
        <dd>
          <Listening self={self} />
        </dd>
        <FingerprintPair publicKey={publicKey} />
      </dl>
      {publicKey === null ? <MakeKey /> : <FileForOthers self={self} publicKey={publicKey} />}
    </>
  )
}

function Listening({ self: { listening, trouble } }: { readonly self: OwnAgent }) {
  if (listening !== null)
    return (
      <span class="peer-status" data-status="online">
        <Icon name="check" /> Listening on {visible(listening)}
      </span>
    )
  if (trouble !== null)
    return (
      <span class="bad-text wrap">
        <Icon name="warning" /> Not listening: {visible(trouble)}
      </span>
    )
  return <span class="soft">Not listening</span>
}

function MakeKey() {
  if (!may('change-home')) return null
  const make = async () => {
    await call('agent.keygen', {})
    say('The key was created.')
  }
  return (
    <div class="row wrap-row">
      <Button tone="primary" onClick={make}>
        Create the key
      </Button>
      <span class="soft small">
        Others check with it that a request comes from you. It stays in this home.
      </span>
    </div>
  )
}

function FileForOthers({ self, publicKey }: { readonly self: OwnAgent; readonly publicKey: string }) {
  const { id } = self
  return (
    <details>
      <summary>Your file, for people whose agents shall know yours</summary>
      <div class="stack file-for-others">
        <p class="soft small">
          They save it as <code>workspace/agents/{visible(id)}.md</code> in their home, or add your endpoint
          and compare the fingerprint. It holds no secret.
        </p>
        <CopyField label={`File ${id}.md`} text={fileOf(self, publicKey)} />
      </div>
    </details>
  )
}

/** A JSON string is YAML too. */
function fileOf({ id, role, owner, endpoint }: OwnAgent, publicKey: string): string {
  return [
    '---',
    `role: ${JSON.stringify(role)}`,
    `owner: ${JSON.stringify(owner)}`,
    ...(endpoint === null ? [] : [`endpoint: ${JSON.stringify(endpoint)}`]),
    `public_key: ${JSON.stringify(publicKey)}`,
    '---',
    `Agent ${id}.`,
    '',
  ].join('\n')
}
