/**
 * Files in `workspace/agents/<id>.md`: agents of other homes (peers), and sub-agents of Claude Code, which are personas for
 * sessions. Invariants: 1. a misspelled key that decides rights is an error of the file, and its agent has no access until
 * it is corrected; 2. a file with a name and a description and without a key or endpoint is a persona, and no peer.
 */
import { normalContext } from '../../domain/peer/contexts.ts'
import { AGENT_ACTIONS, CONTEXT_TYPES, type ContextRef, type Peer } from '../../domain/peer/peer.ts'
import { type Doc, readDocument } from '../header/document.ts'
import type { Read } from '../header/read-header.ts'
import type { Path } from '../header/yaml.ts'
import { addProblem, type CheckContext, nameOf, placeInList } from '../values/check-value.ts'
import { bookkeeping, nonEmptyText, withoutUndefined } from '../values/header-values.ts'
import { baseName, buildKind, type Covers } from '../values/kind.ts'
import { choice, describe, guard, type Infer, integer, keys, list, matching } from '../values/shape.ts'

export interface Persona {
  readonly kind: 'persona'
  readonly name: string
  readonly description: string
  /** Null: all that the session has. */
  readonly tools: readonly string[] | null
  readonly model: string | null
  readonly body: string
}

export type AgentFile = { readonly kind: 'peer'; readonly peer: Peer } | Persona

/** The first 27 bytes of each P-256 key in this form are the same. */
const PUBLIC_KEY = /^p256:MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE[\w-]{86}$/
const ENDPOINT =
  /^(?:https:\/\/(?:[\w.-]+|\[[0-9a-f:]+\])|http:\/\/(?:localhost|127\.[\d.]+|\[::1\]))(?::\d{1,5})?\/?$/i
const AGENT_ID = /^[a-z0-9]+(?:-[a-z0-9]+)*$/
const LONGEST_ID = 64

export function isAgentId(text: string): boolean {
  return text.length <= LONGEST_ID && AGENT_ID.test(text)
}

export const agentId = matching('an id of a-z, 0-9 and single -, such as eng-sato', AGENT_ID)
export const agentRole = matching('a role such as pm, engineer, qa or design', /^[a-z][a-z0-9-]{0,63}$/)
export const endpoint = matching('a base URL such as https://host:8443', ENDPOINT)

/** One part of the shared work, in peer files and neo.yaml. */
export const contextKeys = {
  type: describe('Kind of context.', choice(...CONTEXT_TYPES)),
  identifier: describe(
    'Such as `acme/webapp`, `acme/webapp/src/login.ts` or `acme/webapp#12`.',
    nonEmptyText,
  ),
}

const peerKeys = {
  role: guard('Role, such as `pm`, `engineer`, `qa` or `design`. Access rules can name it.', agentRole),
  owner: describe('Person that it works for.', nonEmptyText),
  endpoint: guard(
    'Base URL of its server, such as `https://host:8443`. Without it, the agent can only call this home.',
    endpoint,
  ),
  public_key: guard(
    'Public key, as `neo agent keygen` prints it in the other home. Without it, the agent cannot call this home.',
    matching('a key such as p256:MFkw…, as neo agent keygen prints it', PUBLIC_KEY),
  ),
  certificate: guard(
    'SHA-256 of its TLS certificate, if it does not use the one made from its key.',
    matching('sha256: and 64 hex digits', /^sha256:[0-9a-f]{64}$/i),
  ),
  capabilities: guard(
    'What it does. Default: all of them. Access rules decide what it may do.',
    list(choice(...AGENT_ACTIONS)),
  ),
  contexts: guard('Parts of the shared work that it answers for.', list(keys(contextKeys))),
  member: guard('Id of the member whose machine it is.', nonEmptyText),
  tailscale_node: guard('Stable id of its machine in Tailscale.', nonEmptyText),
  max_concurrent_queries: guard(
    'Maximum number of its queries at the same time. Default: `agent.max_queries` in neo.yaml.',
    integer(1, 1000),
  ),
  status: guard(
    '`active`, or `revoked`: it has no access, and the file stays as a record. Default: `active`.',
    choice('active', 'revoked'),
  ),
  neo: bookkeeping({}),
}

export const agentShape = keys(peerKeys)
type PeerGiven = Infer<typeof agentShape>

/** Never throws for the content of a file. */
export function readAgent(file: string, bytes: Buffer | string): Read<AgentFile> {
  const read = readDocument(file, bytes)
  if (read.kind !== 'ok') return read
  const persona = personaIn(read.value)
  if (persona !== null) return { kind: 'ok', value: persona, warnings: [] }
  return buildKind(file, read.value, {
    shape: agentShape,
    build: (known, doc, on) => ({ kind: 'peer', peer: peerOf(known, doc, on) }),
  })
}

function personaIn({ data, body }: Doc): Persona | null {
  const { name, description, tools, model } = data
  if (typeof name !== 'string' || typeof description !== 'string') return null
  if ((data['public_key'] ?? data['endpoint'] ?? null) !== null) return null
  return {
    kind: 'persona',
    name,
    description,
    tools: toolsOf(tools),
    model: typeof model === 'string' ? model : null,
    body,
  }
}

/** A list, or names with commas between them. */
function toolsOf(given: unknown): Persona['tools'] {
  if (given === undefined || given === null) return null
  const names = Array.isArray(given) ? given.map(String) : String(given).split(',')
  return names.map((name) => name.trim()).filter((name) => name !== '')
}

function peerOf(
  known: PeerGiven,
  doc: Doc,
  on: CheckContext,
): Covers<
  Peer,
  PeerGiven,
  { tailscale_node: 'tailscaleNodeId'; status: 'revoked'; neo: null },
  'id' | 'body'
> {
  noteName(on)
  const { public_key: publicKey, certificate, tailscale_node: tailscaleNodeId } = known
  if (publicKey === undefined && tailscaleNodeId === undefined) noteKeyless(on)
  return {
    id: baseName(on.file),
    capabilities: known.capabilities ?? AGENT_ACTIONS,
    contexts: contextsOf(on, ['contexts'], known.contexts ?? []),
    revoked: known.status === 'revoked',
    body: doc.body,
    ...withoutUndefined<Partial<Peer>>({
      role: known.role,
      owner: known.owner,
      endpoint: known.endpoint?.replace(/\/$/, ''),
      publicKey,
      certificate: certificate?.toLowerCase(),
      member: known.member,
      tailscaleNodeId,
      maxConcurrentQueries: known.max_concurrent_queries,
    }),
  }
}

function noteName(on: CheckContext): void {
  const id = baseName(on.file)
  if (AGENT_ID.test(id) && id.length <= LONGEST_ID) return
  addProblem(on, [], {
    code: 'id',
    message: `the file name "${id}" is not the id of an agent`,
    hint: `Use 1 to ${LONGEST_ID} of a-z, 0-9 and single -, such as eng-sato.md`,
  })
}

function noteKeyless(on: CheckContext): void {
  addProblem(on, [], {
    code: 'key',
    severity: 'warning',
    message: 'no public_key: this agent cannot call this home',
    hint: 'Add the line that neo agent keygen prints there',
  })
}

/** The valid ones; adds a problem for each other one of the list at `path`. */
export function contextsOf(
  on: CheckContext,
  path: Path,
  given: readonly { readonly type?: string; readonly identifier?: string }[],
): readonly ContextRef[] {
  return given.flatMap((one) => {
    const { type, identifier } = one
    const ref = type === undefined || identifier === undefined ? null : normalContext({ type, identifier })
    if (ref !== null && !('wrong' in ref)) return [ref]
    noteContext(on, [...path, placeInList(one)], ref?.wrong ?? null)
    return []
  })
}

/** Null: a part is missing, or invalid, which has a problem already. */
function noteContext(on: CheckContext, path: Path, wrong: string | null): void {
  const place = nameOf(path)
  if (wrong === null && on.problems.some(({ message }) => message.startsWith(place))) return
  addProblem(on, wrong === null ? path : [...path, 'identifier'], {
    code: 'type',
    message: `${place}: ${wrong === null ? 'missing type or identifier' : `the context ${wrong}`}`,
    hint: 'Use such as { type: repository, identifier: acme/webapp }',
  })
}
