/** What a query between two homes costs, and what many agents at once do to the home that they ask. */
import { randomUUID } from 'node:crypto'
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openPeerWire } from '../../src/adapters/peer-wire/peer-wire.ts'
import { openPeerClient, type PeerClient } from '../../src/aoi/wire/peer-client.ts'
import { lineBeside } from '../bare-https.ts'
import { git, makeHome } from '../home.ts'
import { watchHome } from '../neo.ts'
import { canWeigh, type Resident } from '../resident.ts'
import { inMs, type Line, type Row } from '../row.ts'
import { pause, timed, until } from '../time.ts'

const PEERS = 100
const CALM_MS = 4_000
const PER_SECOND = 10
const PORT = 18_443
const CONTEXT = { type: 'repository', identifier: 'acme/shop' }

interface Asker {
  readonly id: string
  readonly client: PeerClient
}

export const peersRow: Row = {
  name: 'peers',
  measures: 'a query between two homes, without a model; 100 agents that ask 10 times a second each',
  async run({ quick }) {
    const wire = openPeerWire()
    const home = makeHome({ rooms: 2, tasks: quick ? 20 : 200, kind: 'settled' })
    const askers = Array.from({ length: quick ? 10 : PEERS }, (_, at) =>
      askerIn(home.dir, wire, `peer-${at}`),
    )
    appendFileSync(join(home.dir, 'neo.yaml'), configOf())
    git(home.dir, ['add', '-A'])
    git(home.dir, ['commit', '-qm', 'agents'])
    const daemon = await watchHome(home.dir)
    try {
      const receiver = await receiverOf(wire)
      const ask = async ({ id, client }: Asker) =>
        await client.call(receiver, 'aoi.query', paramsOf(id), { id: randomUUID(), timeoutMs: 60_000 })
      const asker = askers[0] as Asker
      // A file that has just changed is read each time.
      await pause(CALM_MS)
      return [
        await lineBeside('a query between two homes, no model, p50', {
          wire,
          params: paramsOf(asker.id),
          call: () => answered(ask(asker)),
          rounds: quick ? 30 : 500,
        }),
        ...(await crowd({ ask, askers, daemon, quick })),
      ]
    } finally {
      await daemon.end()
    }
  },
}

type Wire = ReturnType<typeof openPeerWire>
type Ask = (asker: Asker) => ReturnType<PeerClient['call']>

function askerIn(dir: string, wire: Wire, id: string): Asker {
  const { privateKey, publicKey } = wire.newKey()
  mkdirSync(join(dir, 'workspace/agents'), { recursive: true })
  writeFileSync(join(dir, `workspace/agents/${id}.md`), `---\npublic_key: ${publicKey}\n---\n`)
  return { id, client: openPeerClient({ wire, key: () => privateKey, self: () => id, now: Date.now }) }
}

function configOf(): string {
  return [
    'agent:',
    '  id: bench',
    `  port: ${PORT}`,
    '  rate: 1000/s',
    '  max_queries: 20',
    '  contexts: [{ type: repository, identifier: acme/shop, room: room-1 }]',
    'access:',
    '  rules: [{ agent_id: "*", scope_type: repository, pattern: acme/shop, permission: read, auto: true }]',
    '',
  ].join('\n')
}

async function receiverOf(wire: Wire) {
  const endpoint = `https://127.0.0.1:${PORT}`
  const url = `${endpoint}/aoi/v1/identity`
  let publicKey = ''
  await until('the agent listens', () => {
    void wire
      .send({ url, method: 'GET', headers: {}, body: '', trust: null, timeoutMs: 2_000 })
      .then((reply) => {
        if (reply.kind === 'reply') ({ publicKey } = JSON.parse(reply.body) as { publicKey: string })
      })
    return publicKey || null
  })
  return { id: 'bench', endpoint, publicKey }
}

function paramsOf(from: string) {
  return { from, to: 'bench', query: 'How far is the work?', context_scope: [CONTEXT] }
}

async function answered(call: ReturnType<PeerClient['call']>): Promise<void> {
  const reply = await call
  if (reply.kind !== 'result') throw new Error(`It answers ${JSON.stringify(reply)}`)
}

/** Each agent asks at its rate, whether the answers before have come or not. */
async function crowd(of: {
  readonly ask: Ask
  readonly askers: readonly Asker[]
  readonly daemon: Resident
  readonly quick: boolean
}): Promise<readonly Line[]> {
  const { ask, askers, daemon, quick } = of
  const rounds = (quick ? 2 : 10) * PER_SECOND
  const before = canWeigh() ? daemon.memory() : 0
  const counts = new Map(askers.map(({ id }) => [id, 0]))
  const waits: number[] = []
  let busy = 0
  const sent: Promise<void>[] = []
  for (let round = 0; round < rounds; round++) {
    for (const asker of askers) {
      const started = performance.now()
      sent.push(
        ask(asker).then((reply) => {
          if (reply.kind !== 'result') {
            busy++
            return
          }
          counts.set(asker.id, (counts.get(asker.id) ?? 0) + 1)
          waits.push(performance.now() - started)
        }),
      )
    }
    await pause(1_000 / PER_SECOND)
  }
  await Promise.all(sent)
  const [least, most] = [Math.min(...counts.values()), Math.max(...counts.values())]
  const grown = canWeigh() ? daemon.memory() - before : 0
  return [
    {
      work: `${askers.length} agents × ${PER_SECOND} queries a second: answers of the least and the most answered`,
      goal: 'least ≥ half of most',
      floor: '',
      measured: `${least} and ${most} of ${rounds}, ${busy} told that it is busy; p50 ${inMs(timed(waits).p50)}; ${grown.toFixed(0)} MB more`,
      verdict: least >= most / 2 ? 'ok' : 'over',
    },
  ]
}
