/** Adds an agent: looks at its address, compares its key with what its owner says, then writes its file. */
import { useState } from 'preact/hooks'
import { Button, Dialog, say } from '../../parts/controls.tsx'
import { visible } from '../../parts/text.ts'
import { call } from '../../store/rpc.ts'
import { TextField } from './agent-fields.tsx'
import { FingerprintPair } from './key-fingerprint.tsx'

interface Inspected {
  readonly id: string
  readonly publicKey: string
  readonly certificate: string | null
}

export function AddPeer({ onClose }: { readonly onClose: () => void }) {
  const [endpoint, setEndpoint] = useState('')
  const [found, setFound] = useState<Inspected | null>(null)
  const look = async () => setFound(await call<Inspected>('agent.inspect', { endpoint: addressOf(endpoint) }))
  return (
    <Dialog title="Add an agent" onClose={onClose}>
      {found === null ? (
        <>
          <TextField
            label="Endpoint"
            value={endpoint}
            example="192.0.2.7:8443"
            help="Its owner sees it on their page under Agents."
            isUrl
            onChange={setEndpoint}
          />
          <p class="soft small">
            Neo contacts this address and shows which agent answers. Nothing is added yet. If you have the
            file of the agent already, save it in <code>workspace/agents/</code> instead.
          </p>
          <div class="row end">
            <Button onClick={onClose}>Cancel</Button>
            <Button tone="primary" disabled={endpoint.trim() === ''} onClick={look}>
              Look at it
            </Button>
          </div>
        </>
      ) : (
        <Compare
          endpoint={addressOf(endpoint)}
          found={found}
          onBack={() => setFound(null)}
          onClose={onClose}
        />
      )}
    </Dialog>
  )
}

const SCHEME = 'https'

/** With HTTPS, if nothing else is said. */
function addressOf(typed: string): string {
  const text = typed.trim().replace(/\/+$/, '')
  return /^https?:/.test(text) ? text : `${SCHEME}://${text}`
}

interface CompareProps {
  readonly endpoint: string
  readonly found: Inspected
  readonly onBack: () => void
  readonly onClose: () => void
}

function Compare({ endpoint, found, onBack, onClose }: CompareProps) {
  const [isCompared, setCompared] = useState(false)
  const [role, setRole] = useState('')
  const [owner, setOwner] = useState('')
  const [repository, setRepository] = useState('')
  const add = async () => {
    const { id, publicKey, certificate } = found
    await call('agent.add', {
      ...{ agentId: id, publicKey, endpoint },
      ...(role.trim() === '' ? {} : { role: role.trim() }),
      ...(owner.trim() === '' ? {} : { owner: owner.trim() }),
      ...(certificate === null ? {} : { certificate }),
      ...(repository.trim() === ''
        ? {}
        : { contexts: [{ type: 'repository', identifier: repository.trim() }] }),
    })
    say(`${id} was added. It has no access until a rule gives it some.`)
    onClose()
  }
  return (
    <>
      <dl class="pairs">
        <dt>Id</dt>
        <dd class="strong">{visible(found.id)}</dd>
        <dt>Endpoint</dt>
        <dd>
          <code>{visible(endpoint)}</code>
        </dd>
        <FingerprintPair publicKey={found.publicKey} />
      </dl>
      <p class="note">
        Anybody could answer at this address. Ask its owner for the fingerprint, in a call or in person. They
        see it on their page under Agents.
      </p>
      <label class="row compared">
        <input
          type="checkbox"
          checked={isCompared}
          onChange={({ currentTarget }) => setCompared(currentTarget.checked)}
        />
        Its owner has told me the same fingerprint
      </label>
      <div class="row fields-row">
        <TextField label="Role" value={role} example="pm" onChange={setRole} />
        <TextField label="Owner" value={owner} example="Tanaka" onChange={setOwner} />
      </div>
      <TextField
        label="Repository that you share"
        value={repository}
        example="acme/webapp"
        onChange={setRepository}
      />
      <div class="row end">
        <Button onClick={onBack}>Back</Button>
        <Button tone="primary" disabled={!isCompared} onClick={add}>
          Add {visible(found.id)}
        </Button>
      </div>
    </>
  )
}
