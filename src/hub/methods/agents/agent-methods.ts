/**
 * agent.*: agents of other homes: who they are, what they are asked, what they have asked. Invariant 1: their files are
 * changed only by a person. Invariant 2: a revoked agent has no access from the moment in which its file says so.
 */
import { X509Certificate } from 'node:crypto'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { NeoError, whyOf } from '../../../domain/home/error.ts'
import type { AgentConfig, Peer } from '../../../domain/peer/peer.ts'
import { MAX_BYTES } from '../../../engine/commit/journal.ts'
import { peerIn, peersIn, personasIn } from '../../../engine/people/peer-files.ts'
import { editDocument, type Json, renderDocument } from '../../../files/edit/edit-header.ts'
import { readAgent } from '../../../files/kinds/read-agent.ts'
import { commit } from '../../changes/compare-and-write.ts'
import { badText, defined } from '../../changes/header-inputs.ts'
import { type Actor, type HubEnv, look, method } from '../../env.ts'
import { aboutHome } from '../../views/about.ts'
import { badParams, HUB_CODES, HubError } from '../../hub.ts'
import type { PeerControl } from '../../peer-control.ts'
import { openAgentTokens } from '../../rights/agent-tokens.ts'
import { missing } from '../../views/find-in-home.ts'
import { shown } from '../../views/views.ts'
import {
  agentId,
  auditEnd,
  type AgentView,
  agentView,
  contextScope,
  endpointOf,
  limit,
  personaView,
  requestView,
  selfView,
} from './agent-shapes.ts'

const FOLDER = 'workspace/agents'
const text = z.string()

export const agentList = method({
  name: 'agent.list',
  summary: 'List agents of other homes',
  details:
    "With this home's own agent, and personas: files in `workspace/agents/` that are not other agents.",
  params: z.strictObject({}),
  result: z.strictObject({
    self: selfView.nullable().describe('Null if `neo.yaml` has no `agent.id`'),
    agents: z.array(agentView),
    personas: z.array(personaView),
  }),
  act: 'see-home',
  resource: aboutHome,
  run: async (env) => {
    const control = await env.peers()
    return {
      self: await self(env, control),
      agents: peersIn(env.context).map((peer) => viewPeer(peer, control)),
      personas: personasIn(env.context).map(({ name, description, path }) => ({ name, description, path })),
    }
  },
})

async function self(env: HubEnv, control: PeerControl | null): Promise<z.input<typeof selfView> | null> {
  const { agent, access } = (await look(env)).config
  if (agent === null) return null
  const { at, trouble } = control?.listening() ?? { at: null, trouble: null }
  return {
    id: agent.id,
    role: agent.role,
    owner: agent.owner,
    endpoint: endpointOf(agent),
    publicKey: control?.publicKey() ?? null,
    listening: at,
    trouble,
    auditUntil: auditEnd(access, env.context.world.clock.now()),
    contexts: agent.contexts.map(({ type, identifier, room }) => ({ type, identifier, roomId: room })),
  }
}

export function viewPeer(peer: Peer, control: PeerControl | null): AgentView {
  const { status, lastSeenAt } = control?.state(peer.id) ?? { status: 'offline', lastSeenAt: null }
  return {
    ...shown(peer, ['id', 'role', 'owner', 'endpoint', 'publicKey', 'capabilities', 'member']),
    status: peer.revoked ? 'revoked' : status,
    lastSeenAt,
    contexts: peer.contexts.map(({ type, identifier }) => ({ type, identifier })),
  }
}

export const agentRequests = method({
  name: 'agent.requests',
  summary: 'List requests of other agents',
  details: 'What they have asked or handed over, newest first, with the outcome.',
  params: z.strictObject({ limit }),
  result: z.array(requestView),
  act: 'see-home',
  resource: aboutHome,
  run: async (env, { limit: most }) => (await env.peers())?.requests(most) ?? [],
})

export const agentKeygen = method({
  name: 'agent.keygen',
  summary: "Create this home's agent key",
  details: 'An existing key stays. Give the public key to people whose homes should know this agent.',
  params: z.strictObject({}),
  result: z.strictObject({
    id: text.nullable(),
    publicKey: text,
    certificate: text
      .nullable()
      .describe('`sha256:…` of your own TLS certificate; null if it is made from the key'),
    created: z.boolean(),
  }),
  act: 'change-home',
  resource: aboutHome,
  run: async (env) => {
    const { agent } = (await look(env)).config
    const certificate = agent === null ? null : ownCertificate(env, agent)
    return { id: agent?.id ?? null, certificate, ...(await peersOf(env)).key() }
  },
})

/** Throws HubError `busy` if this program has no agents. */
export async function peersOf(env: HubEnv): Promise<PeerControl> {
  const control = await env.peers()
  if (control !== null) return control
  throw new HubError(HUB_CODES.busy, 'The agent protocol is not available in this program')
}

const endpointUrl = z
  .string()
  .max(300)
  .regex(/^https?:\/\/[^\s/?#@]+$/, 'want https://host:port, without a path')
  .describe('Its address, such as `https://192.0.2.7:8443`')

export const agentInspect = method({
  name: 'agent.inspect',
  summary: 'Look at an agent before adding it',
  details: 'Contacts the address. Compare the key with what its owner tells you: anybody can answer there.',
  params: z.strictObject({ endpoint: endpointUrl }),
  result: z.strictObject({ id: text, publicKey: text, certificate: text.nullable() }),
  act: 'change-home',
  resource: aboutHome,
  run: async (env, { endpoint }) => {
    const control = await peersOf(env)
    return await env.aside(() => control.inspect(endpoint))
  },
})

const addParams = z.strictObject({
  agentId,
  publicKey: z
    .string()
    .regex(/^p256:[\w-]{60,200}$/, 'want the key that `neo agent keygen` prints, p256:…')
    .describe('The key that its owner has given you'),
  endpoint: endpointUrl.optional().describe('Where it listens. Without it, it can only ask you'),
  role: text.min(1).max(100).optional().describe('Access rules can name it'),
  owner: text.min(1).max(200).optional().describe('The person that it works for'),
  certificate: z
    .string()
    .regex(/^sha256:[0-9a-f]{64}$/, 'want sha256: and 64 hex digits')
    .optional()
    .describe('Of a TLS certificate that is not made from its key'),
  contexts: contextScope.optional().describe('What it works on'),
})

export const agentAdd = method({
  name: 'agent.add',
  summary: 'Add an agent of another home',
  details: 'Writes `workspace/agents/ID.md`. It has no access until a rule in `neo.yaml` gives it some.',
  params: addParams,
  result: agentView,
  act: 'change-home',
  resource: aboutHome,
  run: add,
})

async function add(env: HubEnv, params: z.output<typeof addParams>, actor: Actor): Promise<AgentView> {
  const { agentId: id, publicKey, endpoint, role, owner, certificate, contexts } = params
  if ((await look(env)).config.agent?.id === id)
    throw badParams(['agentId'], 'this is the id of your own agent')
  const path = `${FOLDER}/${id}.md`
  const header = defined<Json>({ role, owner, endpoint, public_key: publicKey, certificate, contexts })
  const after = renderDocument(header, `Agent ${id}. What it may do is in neo.yaml, under access.\n`)
  const read = readAgent(path, after)
  if (read.kind !== 'ok') throw badText([], read)
  const changes = [{ path, before: null, after }]
  const lost = `Cannot add the agent: ${path} already exists`
  await commit(env, actor, { room: '', part: 'agents', what: `add ${id}`, event: 'agent', changes, lost })
  return viewPeer(findPeer(env, id), await env.peers())
}

/** Throws HubError `missing`. */
export function findPeer(env: HubEnv, id: string): Peer {
  const found = peerIn(env.context, id)
  if (found === null) throw missing('agent', id)
  return found
}

export const agentToken = method({
  name: 'agent.token',
  summary: 'Create a token for an agent',
  details:
    "For clients of A2A that can't sign requests. It replaces the earlier token, is shown once, and gives what the access rules give this agent.",
  params: z.strictObject({
    agentId,
    revoke: z.boolean().default(false).describe('Only revoke the earlier token. The agent keeps its access.'),
  }),
  result: z.strictObject({ agentId: text, token: text.nullable() }),
  act: 'change-home',
  resource: aboutHome,
  run: async (env, { agentId: id, revoke }) => {
    const { revoked } = findPeer(env, id)
    const { world, dir } = env.context
    const tokens = openAgentTokens(world.files, dir)
    if (revoke) {
      tokens.revoke(id)
      return { agentId: id, token: null }
    }
    if (revoked) throw new HubError(HUB_CODES.busy, `Cannot create a token: the agent ${id} is revoked`)
    return { agentId: id, token: tokens.make(id) }
  },
})

export const agentRevoke = method({
  name: 'agent.revoke',
  summary: 'Revoke an agent',
  details: 'It has no access from now on. Its tasks that are not finished are cancelled; its file stays.',
  params: z.strictObject({ agentId }),
  result: agentView,
  act: 'change-home',
  resource: aboutHome,
  run: revoke,
})

async function revoke(
  env: HubEnv,
  { agentId: id }: { readonly agentId: string },
  actor: Actor,
): Promise<AgentView> {
  findPeer(env, id)
  const path = `${FOLDER}/${id}.md`
  const { world, home } = env.context
  for (let round = 0; ; round++) {
    const read = world.files.read(join(home, path), MAX_BYTES)
    if (read.kind !== 'file') throw missing('agent', id)
    const before = world.git.blobId(read.bytes)
    const after = editDocument(read.bytes.toString('utf8'), { set: { status: 'revoked' } })
    const changes = [{ path, before, after }]
    const write = { room: '', part: 'agents', what: `revoke ${id}`, event: 'agent', changes }
    if (after === read.bytes.toString('utf8') || (await commit(env, actor, write)) === 'done') break
    if (round === ROUNDS)
      throw new HubError(
        HUB_CODES.busy,
        `Cannot revoke the agent: ${path} keeps changing; set status: revoked in it`,
      )
  }
  openAgentTokens(world.files, env.context.dir).revoke(id)
  const control = await env.peers()
  await env.aside(async () => await control?.revoked(id))
  return viewPeer(findPeer(env, id), control)
}

const ROUNDS = 5

const MOST_PEM_BYTES = 1024 * 1024

/**
 * Of this home's own certificate, because others can't tell by the agent's key that it is the right one.
 * `sha256:` and 64 hex digits; null if the certificate is made from the key, or a proxy has one. Throws NeoError `config`.
 */
function ownCertificate({ context }: HubEnv, { tls }: Pick<AgentConfig, 'tls'>): string | null {
  if (typeof tls === 'string') return null
  const read = context.world.files.read(resolve(context.home, tls.cert), MOST_PEM_BYTES)
  if (read.kind !== 'file')
    throw unreadable(tls.cert, read.kind === 'missing' ? 'the file is missing' : read.why)
  try {
    const { fingerprint256 } = new X509Certificate(read.bytes)
    return `sha256:${fingerprint256.replaceAll(':', '').toLowerCase()}`
  } catch (error) {
    throw unreadable(tls.cert, whyOf(error))
  }
}

function unreadable(path: string, why: string): NeoError {
  return new NeoError('config', `Cannot read the certificate "${path}" of agent.tls: ${why}`)
}
