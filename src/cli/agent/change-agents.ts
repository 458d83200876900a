/** `neo agent keygen, add, revoke`: who the agents of other homes are. Their files decide nothing without access rules. */
import type { HubClient } from '../../client/hub-client.ts'
import { NeoError } from '../../domain/home/error.ts'
import type { ParamsOf } from '../../hub/method-table.ts'
import { usage } from '../cli-failure.ts'
import { answersYes, paramsOf, stdinText } from '../option-values.ts'
import { dim } from '../output.ts'
import { type Call, firstOf } from '../spec.ts'
import { withHub } from '../with-hub.ts'
import { agentBlock, fingerprintOf, readBlock } from './agent-block.ts'
import { contextOf } from './context-words.ts'

export function keygen(call: Call): Promise<number> {
  return withHub(call, async (hub) => {
    const { self } = await hub.call('agent.list', {})
    if (self === null)
      throw new NeoError('config', 'Cannot create a key: neo.yaml has no agent.id', {
        next: 'add a line such as agent: { id: eng-sato, role: engineer, owner: sato } to neo.yaml',
      })
    const { publicKey, certificate, created } = await hub.call('agent.keygen', {})
    const block = agentBlock({ ...self, publicKey, certificate })
    const fingerprint = fingerprintOf(publicKey)
    call.out.data('agent.keygen', { id: self.id, publicKey, fingerprint, created, file: block })
    call.out.block(block)
    call.out.note(dim(`Fingerprint of this key: ${fingerprint}`))
    if (self.endpoint === null)
      call.out.note(
        'The file has no endpoint: set agent.endpoint in neo.yaml if other machines can reach this home.',
      )
    return 0
  })
}

type AddParams = ParamsOf<'agent.add'>

export async function addAgent(call: Call): Promise<number> {
  const given = await givenAgent(call)
  return await withHub(call, async (hub) => {
    const params =
      given.publicKey === undefined
        ? await lookedAt(call, hub, given)
        : { ...given, publicKey: given.publicKey }
    if (params === null) return 1
    const { id } = await hub.call('agent.add', params, 'neo agent add eng-sato --public-key p256:…')
    const path = `workspace/agents/${id}.md`
    call.out.data('agent.add', { id, path, fingerprint: fingerprintOf(params.publicKey) })
    call.out.line(path)
    call.out.note(dim(`Fingerprint of its key: ${fingerprintOf(params.publicKey)}`))
    call.out.note(
      `It has access only by rules in neo.yaml, such as: ${exampleRule(params)}; then run neo trust`,
    )
    return 0
  })
}

function exampleRule({ agentId, contexts: [context] = [] }: AddParams): string {
  const pattern = context?.identifier ?? 'acme/webapp'
  return `access: { rules: [{ agent_id: ${agentId}, pattern: ${JSON.stringify(pattern)}, permission: read }] }`
}

type Given = Omit<AddParams, 'publicKey'> & { readonly publicKey?: string }

/** From the options, and from the block on stdin. */
async function givenAgent(call: Call): Promise<Given> {
  const [typed = '', source] = call.args
  const contexts = call.all('context').map(contextOf)
  const options = { ...paramsOf<AddParams>(call), ...(contexts.length === 0 ? {} : { contexts }) }
  if (typed !== '-' && source === undefined) return { agentId: typed, ...options }
  if (typed !== '-' && source !== '-')
    throw usage(`Unexpected argument "${source}": use - to read from stdin`, `neo agent add ${typed} -`)
  if (call.around.stdin.isTTY === true)
    call.out.note('Paste what neo agent keygen printed in the other home, then press Ctrl-D.')
  const peer = readBlock(await stdinText(call), typed === '-' ? null : typed)
  const { id, role, owner, endpoint, publicKey, certificate } = peer
  const said = { role, owner, endpoint, publicKey, certificate }
  const present = Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined))
  const own = peer.contexts.length === 0 ? {} : { contexts: [...peer.contexts] }
  return { ...present, ...own, ...options, agentId: id }
}

/** Asks the endpoint for its key, and the person whether it is the right one. Null: it is not. */
async function lookedAt(call: Call, hub: HubClient, given: Given): Promise<AddParams | null> {
  const { endpoint, agentId } = given
  const { stdin, stderr } = call.around
  const isAsking = stdin.isTTY === true && stderr.isTTY === true
  if (endpoint === undefined || !isAsking)
    throw usage(
      `Missing --public-key${endpoint === undefined ? '' : ': there is no terminal to ask whether a found key is right'}`,
      `neo agent add ${agentId} --public-key p256:…, with the key that neo agent keygen prints in the other home`,
    )
  const found = await hub.call('agent.inspect', { endpoint })
  if (found.id !== agentId)
    throw new NeoError('refused', `Cannot add ${agentId}: the agent at ${endpoint} is called ${found.id}`, {
      next: `neo agent add ${found.id} --endpoint ${endpoint}`,
    })
  call.out.note(
    `${found.id} answers at ${endpoint}. Compare the fingerprint of its key, by phone or in person,`,
  )
  call.out.note('with what neo agent status shows there.')
  if (!(await answersYes(stdin, stderr, `Is it ${fingerprintOf(found.publicKey)}? [y/N] `))) {
    call.out.note('Not added.')
    return null
  }
  const { certificate } = found
  return { ...given, publicKey: found.publicKey, ...(certificate === null ? {} : { certificate }) }
}

export function revokeAgent(call: Call): Promise<number> {
  return withHub(call, async (hub) => {
    const { id, status } = await hub.call('agent.revoke', { agentId: firstOf(call) }, 'neo agent list')
    const path = `workspace/agents/${id}.md`
    call.out.data('agent.revoke', { id, path, status })
    call.out.line(path)
    call.out.note(dim('No access from now on; the file stays as a record.'))
    return 0
  })
}

export function tokenFor(call: Call): Promise<number> {
  return withHub(call, async (hub) => {
    const revoke = call.isSet('revoke')
    const asked = { agentId: firstOf(call), revoke }
    const { agentId, token } = await hub.call('agent.token', asked, 'neo agent list')
    if (token === null) {
      call.out.data('agent.token', { agentId, token })
      call.out.note(dim('Its token is revoked. The agent keeps its access with signed requests.'))
      return 0
    }
    const { self } = await hub.call('agent.list', {})
    const at = self?.endpoint ?? self?.listening ?? 'https://HOST:8443'
    const url = `${at.replace(/\/\/(?:0\.0\.0\.0|\[::\]):/, '//HOST:')}/a2a/v1`
    call.out.data('agent.token', { agentId, token, url })
    call.out.line(token)
    call.out.note(`Shown once. The client sends it to ${url}, in the header Authorization: Bearer TOKEN`)
    return 0
  })
}
