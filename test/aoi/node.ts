/**
 * A home with an agent, whose daemon runs in this process: two of them on two loopback addresses are two machines.
 * Takes what its neo.yaml says of its agent and of access; gives its hub, as its owner calls it.
 */
import { openMind } from '../../src/compose-orchestrator.ts'
import { composeWorld } from '../../src/compose.ts'
import type { Hub } from '../../src/hub/hub.ts'
import type { ParamsOf, MethodName, ResultOf } from '../../src/hub/method-table.ts'
import type { PeerWire } from '../../src/ports/peer-port.ts'
import type { World } from '../../src/ports/world.ts'
import { freePort } from '../free-port.ts'
import { type Home, makeHome, until, type Watching } from '../path/home.ts'

export interface Node {
  readonly id: string
  readonly home: Home
  call<N extends MethodName>(method: N, params: ParamsOf<N>): Promise<ResultOf<N>>
  /** Where its agent listens. */
  endpoint(): string
  said(pattern: RegExp): boolean
  stop(): Promise<void>
  /** Again, at the same address. */
  start(): Promise<void>
}

export interface NodeOptions {
  readonly host: string
  readonly role?: string
  /** Lines of `access:` in neo.yaml. */
  readonly rules?: readonly string[]
  /** Whole sections of neo.yaml. */
  readonly config?: string
  /** More keys of `agent:`. */
  readonly agent?: string
  readonly files?: Readonly<Record<string, string>>
  /** Milliseconds by which its clock is wrong. */
  readonly skewMs?: number
  /** A method whose answers never arrive, although the other home acts on it. */
  readonly losesAnswers?: string
}

export const CONTEXT = { type: 'repository', identifier: 'acme/shop' } as const

export async function startNode(id: string, options: NodeOptions): Promise<Node> {
  const port = await freePort(options.host)
  const home = makeHome({ 'neo.yaml': configOf(id, options, port), ...options.files })
  let watching: Watching | null = null
  let hub: Hub | null = null
  let endpoint = ''
  const node: Node = {
    id,
    home,
    async call(method, params) {
      if (hub === null) throw new Error('it is stopped')
      return (await hub.call({ kind: 'human' }, method, params)) as never
    },
    endpoint: () => endpoint,
    said: (pattern) => (watching?.events ?? []).some(({ text }) => pattern.test(text)),
    async stop() {
      await watching?.stop()
      hub = null
    },
    async start() {
      const world = await worldOf(home.dir, options)
      watching = home.watch({
        world,
        openOrchestrator(context, wake) {
          const mind = openMind(context, wake)
          hub = mind.clients
          return mind
        },
      })
      await watching.ready()
      await until(async () => (await self(node))?.listening !== null)
      endpoint = (await self(node))?.listening ?? ''
    },
  }
  await node.start()
  return node
}

async function self(node: Node) {
  return (await node.call('agent.list', {})).self
}

function configOf(
  id: string,
  { host, role = 'engineer', rules = [], agent = '', config = '' }: NodeOptions,
  port: number,
): string {
  return [
    'daemon: { settle: 0s, rescan: 1s }',
    'agent:',
    `  id: ${id}`,
    `  role: ${role}`,
    `  owner: ${id}`,
    `  host: ${host}`,
    `  port: ${port}`,
    ...(/^rate:/m.test(agent) ? [] : ['  rate: 1000/s']),
    '  discovery_interval: 1s',
    '  contexts: [{ type: repository, identifier: acme/shop, room: shop }]',
    ...agent
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => `  ${line}`),
    'access:',
    '  rules:',
    ...(rules.length === 0 ? ['    []'] : rules.map((rule) => `    - ${rule}`)),
    config,
  ].join('\n')
}

async function worldOf(dir: string, { skewMs = 0, losesAnswers }: NodeOptions): Promise<World> {
  const world = await composeWorld(dir)
  const { clock, peers } = world
  const moved: World = {
    ...world,
    clock: { now: () => clock.now() + skewMs, after: (ms, call) => clock.after(ms, call) },
  }
  if (peers === undefined || losesAnswers === undefined) return moved
  const send: PeerWire['send'] = async (request, signal) => {
    const reply = await peers.send(request, signal)
    return request.body.includes(`"${losesAnswers}"`)
      ? { kind: 'unreachable', why: 'connection reset' }
      : reply
  }
  return { ...moved, peers: { ...peers, send } }
}

/** Each adds the other, after a look at its address. */
export async function pair(one: Node, other: Node): Promise<void> {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    const { id, publicKey } = await from.call('agent.inspect', { endpoint: to.endpoint() })
    await from.call('agent.add', { agentId: id, publicKey, endpoint: to.endpoint() })
  }
}

export const rule = (agent: string, more: string) =>
  `{ agent_id: ${agent}, scope_type: repository, pattern: acme/shop, ${more} }`

export const ECHO = {
  'templates/tasks/echo.md':
    '---\ntitle: "Echo {{text}}"\nworker: shell\nparams:\n  text: { type: text }\n---\n```sh\necho "said $text"\n```\n',
}

export async function nodes(
  ben: Partial<NodeOptions>,
  ana: Partial<NodeOptions> = {},
): Promise<readonly [Node, Node]> {
  const both = await Promise.all([
    startNode('ana', { host: '127.0.0.2', role: 'pm', ...ana }),
    startNode('ben', { host: '127.0.0.3', ...ben }),
  ])
  await pair(...both)
  return both
}

export const states = async (node: Node) =>
  (await node.call('agent.requests', {})).map(({ status }) => status)

export const DELEGATES = rule('ana', 'permission: write, tasks: [echo]')
export const delegated = (params: string) =>
  `---\ntitle: Say it\nworker: "peer:ben"\nparams: { ${params} }\n---\nSay it there.\n`
