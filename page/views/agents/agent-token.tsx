/** Makes a token for a client that can't sign its requests, and shows it once. */
import { useState } from 'preact/hooks'
import { CopyField } from '../../parts/confirm.tsx'
import { Button, Dialog, say } from '../../parts/controls.tsx'
import { visible } from '../../parts/text.ts'
import { call } from '../../store/rpc.ts'

export function AgentToken({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const [token, setToken] = useState<string | null>(null)
  const revoke = async () => {
    await call('agent.token', { agentId: id, revoke: true })
    say(`${id} has no token any more.`)
    onClose()
  }
  const create = async () => {
    const made = await call<{ readonly token: string }>('agent.token', { agentId: id })
    setToken(made.token)
  }
  return (
    <Dialog title={`Token for ${visible(id)}`} onClose={onClose}>
      {token === null ? (
        <>
          <p>
            A client of the A2A protocol that can’t sign its requests sends a token instead. It gives the
            access that your rules give {visible(id)}, until you revoke the agent.
          </p>
          <p class="note">A new token replaces an earlier one at once.</p>
          <div class="row end">
            <Button onClick={onClose}>Cancel</Button>
            <Button onClick={revoke}>Revoke token</Button>
            <Button tone="primary" onClick={create}>
              Create token
            </Button>
          </div>
        </>
      ) : (
        <>
          <p class="strong">Copy it now. It is not shown again.</p>
          <CopyField label={`Token for ${id}`} text={token} />
          <p class="soft small">
            The client sends it to your endpoint at <code>/a2a/v1</code>, in the header{' '}
            <code>Authorization: Bearer TOKEN</code>. Whoever has it acts as {visible(id)}: send it over a
            safe channel.
          </p>
          <div class="row end">
            <Button onClick={onClose}>Done</Button>
          </div>
        </>
      )}
    </Dialog>
  )
}
