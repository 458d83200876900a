/**
 * What a person should look at before a file of the home is saved: programs that run, servers that get keys, who may do
 * what, limits that end. Invariant 1: every line that `neo trust` asks about is one of them, by the same rule.
 * Invariant 2: no secret is in what is shown.
 */
import { configTrust, headerTrust, shownTrust, type TrustLine } from './trust-lines-of.ts'

export interface RiskyChange {
  /** `providers.local.base_url` */
  readonly key: string
  /** As `neo trust` shows it; null if it is not there. */
  readonly before: string | null
  readonly after: string | null
  readonly why: string
  /** Neo ignores the change until the home is trusted again. */
  readonly needsTrust: boolean
}

type Data = Readonly<Record<string, unknown>>

/** Lines of a file that a person trusts with the home, by what is in its header; for neo.yaml the whole file. */
export function trustLinesIn(path: string, data: Data): readonly TrustLine[] {
  if (path === 'neo.yaml') return configTrust(data)
  if (ROOM.test(path)) return headerTrust(path, 'mcp_servers', data['mcp_servers'])
  if (!PERSON.test(path)) return []
  const { in: before, out } = (data['guards'] ?? {}) as { readonly in?: unknown; readonly out?: unknown }
  return [...headerTrust(path, 'guards.in', before), ...headerTrust(path, 'guards.out', out)]
}

const ROOM = /^rooms\/[^/]+\/ROOM\.md$/
const MEMBER = /^workspace\/members\/[^/]+\.md$/
const PEER = /^workspace\/agents\/[^/]+\.md$/
const PERSON = /^workspace\/(?:members\/[^/]+\.md|scopes\/[^/]+\/SCOPE\.md)$/

/** In the order of the file. Limits count only if they are raised or removed. */
export function riskyChanges(path: string, before: Data, after: Data): readonly RiskyChange[] {
  const words = wordsOf(path)
  const trusted = new Set(
    [...trustLinesIn(path, before), ...trustLinesIn(path, after)].map(({ name }) => name),
  )
  const [old, now] = [watched(path, before), watched(path, after)]
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((name) => {
    const [was, is] = [old.get(name), now.get(name)]
    if (was === is || (isLimit(name) && !isLooser(was, is))) return []
    const key = name.slice(path.length + 1)
    const shown = (value: string | undefined) =>
      value === undefined ? null : shownTrust({ name, value }).slice(name.length + 2)
    const needsTrust = trusted.has(name) && is !== undefined
    return { key, before: shown(was), after: shown(is), why: whyOf(words, key), needsTrust }
  })
}

function watched(path: string, data: Data): ReadonlyMap<string, string> {
  const keys = Object.keys(data).filter((key) => OWN[kindOf(path)].includes(key))
  const own = keys.flatMap((key) => headerTrust(path, key, data[key]))
  return new Map([...trustLinesIn(path, data), ...own].map(({ name, value }) => [name, value]))
}

type Kind = 'config' | 'room' | 'member' | 'peer' | 'other'

function kindOf(path: string): Kind {
  if (path === 'neo.yaml') return 'config'
  if (PEER.test(path)) return 'peer'
  return ROOM.test(path) ? 'room' : MEMBER.test(path) ? 'member' : 'other'
}

/** Keys that need no trust. Those of a room are keys that no model may set without a person; a test holds them to it. */
export const OWN: Readonly<Record<Kind, readonly string[]>> = {
  config: ['budget'],
  room: words(
    'worker workspace review verify budget permissions setup cleanup env env_files hooks approvers',
  ),
  member: words('role permissions channels suspended'),
  peer: words(
    'role endpoint public_key certificate capabilities contexts member tailscale_node max_concurrent_queries status',
  ),
  other: [],
}

function words(text: string): readonly string[] {
  return text.split(' ')
}

function isLimit(name: string): boolean {
  return / budget\./.test(name)
}

function isLooser(was: string | undefined, is: string | undefined): boolean {
  if (was === undefined) return false
  return is === undefined || is === 'null' || Number(is) > Number(was)
}

type Words = readonly (readonly [RegExp, string])[]

function whyOf(words: Words, key: string): string {
  return words.find(([of]) => of.test(key))?.[1] ?? 'Neo uses this setting outside of the sandbox of agents.'
}

function wordsOf(path: string): Words {
  return WORDS[kindOf(path)]
}

const WORDS: Readonly<Record<Kind, Words>> = {
  config: [
    [/^providers\.[^.]+\.api_key/, 'This key is sent to the server of the provider.'],
    [/^providers\./, 'Prompts and the key of this provider are sent to this server.'],
    [/^workers\.[^.]+\.network/, 'This program may use the network.'],
    [/^workers\./, 'Tasks with this worker run this program on your computer.'],
    [/^channels\.\w+\.allow_from/, 'These accounts have all permissions of the owner.'],
    [/^channels\./, 'Messages of this channel go over this connection.'],
    [/^http\.host/, 'At another address than 127.0.0.1, other computers can reach Neo.'],
    [/^http\.token/, 'Whoever knows this token is the owner. All sign-ins end.'],
    [/^http\./, 'The page and the API move to another address.'],
    [/^sandbox\./, 'Commands of agents may read or use more of your computer.'],
    [/^redact\./, 'The values of these variables are no longer masked.'],
    [/^daemon\.workspaces/, 'Agents may choose to work in these folders.'],
    [/^daemon\.sync/, 'Neo fetches, merges and pushes the home.'],
    [/^retention\./, 'Ended work is deleted after this.'],
    [/^git\./, 'This decides whether commits of Neo are signed.'],
    [/^budget\./, 'Agents may spend more.'],
    [/^access\./, 'This decides what agents of other homes can read and do.'],
    [/^agent\.(?:host|port|tls|endpoint|tailscale)/, 'Other computers reach the agent of this home there.'],
    [/^agent\.contexts/, 'The agent of this home answers for these parts of your work.'],
    [/^agent\.work_ai/, 'This does the tasks that agents of other homes start.'],
    [/^agent\./, 'This decides how the agent of this home answers others.'],
  ],
  room: [
    [/^permissions/, 'This is what agents of this room may do without asking you.'],
    [/^mcp_servers/, 'Neo runs this program or sends data to this server.'],
    [/^(?:setup|cleanup|verify)/, 'These commands run for each task of the room.'],
    [/^hooks/, 'Git hooks of the workspace run when a session commits.'],
    [/^env/, 'Sessions get these variables or files, which can hold secrets.'],
    [/^approvers/, 'These members can approve requests and accept work.'],
    [/^workspace/, 'Tasks of this room work in this folder.'],
    [/^review/, 'With `none`, finished work is merged without a review.'],
    [/^budget/, 'Agents may spend more.'],
    [/^worker/, 'This does the tasks of the room that name no worker.'],
  ],
  member: [
    [/^guards/, 'This program reads what the member writes or gets.'],
    [/^channels/, 'Whoever uses this account has the permissions of this member.'],
    [/^(?:role|permissions|suspended)/, 'This decides what the member can see and do.'],
  ],
  peer: [
    [/^public_key|^certificate|^tailscale_node/, 'The holder of this key or machine counts as this agent.'],
    [/^endpoint/, 'Questions and tasks for this agent are sent to this server.'],
    [/^/, 'This decides who this agent is, and what it can do.'],
  ],
  other: [[/^guards/, 'This program reads what people write in this conversation.']],
}
