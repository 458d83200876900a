/** Records of sessions and their mailboxes; a process that can't be ended ends no daemon. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openFiles } from '../../../src/adapters/disk/disk-files.ts'
import { deliver } from '../../../src/agent/mailbox.ts'
import type { Agents } from '../../../src/engine/agents/agents.ts'
import {
  dropDelivered,
  type IdleSession,
  openIdleSessions,
} from '../../../src/engine/agents/idle-sessions.ts'
import { Sessions } from '../../../src/engine/agents/live-sessions.ts'
import { peerBrief } from '../../../src/engine/agents/peer-work.ts'
import type { Context } from '../../../src/engine/context.ts'
import type { World } from '../../../src/ports/world.ts'
import { record, taskFile } from '../../builders.ts'
import { openActed } from '../../../src/engine/commit/acted-log.ts'
import { handClock } from '../hand-clock.ts'

function desk(killSession: (id: string) => Promise<number> = async () => 0) {
  const dir = join(mkdtempSync(join(tmpdir(), 'neo-live-')), 'neo')
  onTestFinished(() => rmSync(join(dir, '..'), { recursive: true, force: true }))
  const seen = { said: [] as string[], changes: 0, woken: [] as string[] }
  const files = openFiles()
  const world = { files, clock: handClock(), processes: { killSession } } as unknown as World
  const agents = { deps: null, delivered: (id: string) => void seen.woken.push(id) } as unknown as Agents
  const open = () =>
    new Sessions({
      ...{ home: '/home', dir, world, env: {}, agents, acted: openActed(files, dir) },
      changed: () => void seen.changes++,
      progress: (_record, text) => void seen.said.push(text),
    })
  return { dir, files, seen, open, world }
}

describe('Sessions', () => {
  test('have after a restart what they had, until they are removed', async () => {
    const { open } = desk()
    const sessions = open()
    await sessions.create(record('s-a', 'a'))
    await sessions.create(record('s-b', 'b'))
    sessions.moved('s-a', { room: 'lab', taskPath: 'rooms/lab/tasks/a.md', taskName: 'a' })
    sessions.remove('s-b')
    const again = open()
    again.load()
    expect([...again.facts().values()].map(({ record: { id, room }, state }) => [id, room, state])).toEqual([
      ['s-a', 'lab', 'dormant'],
    ])
  })

  test('a stop is an outcome on disk, also of a session that nobody runs, and only the first counts', async () => {
    const { open, seen } = desk()
    const sessions = open()
    await sessions.create(record('s-a', 'a'))
    await sessions.stop('s-a', 'by hand')
    await sessions.stop('s-a', 'again')
    await sessions.stop('s-unknown', 'by hand')
    const again = open()
    again.load()
    for (const facts of [sessions.facts(), again.facts()])
      expect(facts.get('s-a')).toMatchObject({ state: 'ended', outcome: { kind: 'stopped', why: 'by hand' } })
    expect(seen.changes).toBe(1)
  })

  test('a stop takes subagents along, and theirs', async () => {
    const killed: string[] = []
    const { open, files } = desk(async (id) => {
      killed.push(id)
      return 0
    })
    const sessions = open()
    for (const name of ['a', 'b', 'c', 'other']) await sessions.create(record(`s-${name}`, name))
    const spawn = (from: string, task: string) =>
      files.writeJson(join(sessions.dir(from), 'wants', 'k.json'), {
        key: 'k',
        kind: 'spawn',
        text: 'x',
        id: task,
      })
    spawn('s-a', 't-b')
    spawn('s-b', 't-c')
    await sessions.stop('s-a', 'by hand')
    expect(killed.toSorted()).toEqual(['s-a', 's-b', 's-c'])
    expect(sessions.facts().get('s-c')?.outcome).toMatchObject({
      why: 'the session that started it: by hand',
    })
    expect(sessions.facts().get('s-other')?.outcome).toBeNull()
  })

  test.each<[string, () => Promise<number>, string]>([
    ['some stay', async () => 2, "2 of its processes can't be ended"],
    ['it throws', async () => Promise.reject(new Error('no ps')), "can't end its processes: no ps"],
  ])('a stop is an outcome and said, where processes can not be ended: %s', async (_what, kill, said) => {
    const { open, seen } = desk(kill)
    const sessions = open()
    await sessions.create(record('s-a', 'a'))
    await sessions.stop('s-a', 'by hand')
    expect([seen.said, sessions.facts().get('s-a')?.state]).toEqual([[said], 'ended'])
  })

  test('sessions.deliver() puts a key into the mailbox once, and wakes', async () => {
    const { open, seen } = desk()
    const sessions = open()
    await sessions.create(record('s-a', 'a'))
    const message = { key: 'm-1', kind: 'message', from: 'human', text: 'Hi' } as const
    expect([sessions.deliver('s-a', message), sessions.deliver('s-a', message)]).toEqual([true, true])
    expect(sessions.deliver('s-unknown', message)).toBe(false)
    expect([...(sessions.facts().get('s-a')?.heard ?? [])]).toEqual(['m-1'])
    expect(seen.woken).toEqual(['s-a', 's-a'])
  })
})

describe('openIdleSessions()', () => {
  const idle = (id: string, over: Partial<IdleSession> = {}): IdleSession => ({
    ...{
      v: 1,
      id,
      room: 'shop',
      worker: null,
      model: null,
      workspace: null,
      startedAt: '',
      place: null,
      task: null,
    },
    messages: [],
    ...over,
  })

  test('finds a session by its task, and none after it was removed', () => {
    const { world, dir } = desk()
    const store = openIdleSessions({ world, dir })
    store.put(idle('s-abc', { task: 't-a' }))
    store.put(idle('s-def'))
    expect([store.ofTask('t-a')?.id, store.ofTask('t-b'), store.all().length]).toEqual(['s-abc', null, 2])
    store.remove('s-abc')
    expect(store.get('s-abc')).toBeNull()
  })

  test.each(['..', 's-abc/../s-def', 'S-ABC', 's-', ''])('has no session with the id %j', (id) => {
    const { world, dir } = desk()
    const store = openIdleSessions({ world, dir })
    store.put(idle('s-def'))
    store.remove(id)
    expect([store.get(id), store.all().length]).toEqual([null, 1])
  })

  test('dropDelivered() drops the messages that are in the mailbox, and keeps the others', async () => {
    const { world, dir, open, files } = desk()
    const sessions = open()
    await sessions.create(record('s-abc', 'a'))
    const [first, second] = ['m-1', 'm-2'].map(
      (key) => ({ key, kind: 'message', from: 'human', text: key }) as const,
    )
    if (first === undefined || second === undefined) throw new Error('two messages')
    openIdleSessions({ world, dir }).put(idle('s-abc', { messages: [first, second] }))
    deliver(files, sessions.dir('s-abc'), first)
    dropDelivered({ world, dir, sessions } as unknown as Context, 's-abc')
    expect(openIdleSessions({ world, dir }).get('s-abc')?.messages).toEqual([second])
  })
})

describe('peerBrief()', () => {
  const contexts = [
    { room: 'shop', type: 'repository', identifier: 'acme/app' },
    { room: 'shop', type: 'repository', identifier: 'acme/second' },
  ] as const
  const of = (
    params?: Readonly<Record<string, string>>,
    agent: { contexts: typeof contexts } | null = { contexts },
  ) =>
    peerBrief(
      taskFile('a', { title: 'Fix', body: '\nIt fails.\n', ...(params === undefined ? {} : { params }) }),
      'bob',
      agent,
    )

  test('asks for the title and description in the first context of the room', () => {
    expect(of()).toEqual({
      agentId: 'bob',
      taskType: 'delegated',
      taskParams: { title: 'Fix', description: 'It fails.' },
      scope: [{ type: 'repository', identifier: 'acme/app' }],
    })
  })

  test('takes template and context from params, and gives the template the rest', () => {
    expect(of({ task_type: 'deploy', context: 'issue:acme/app#7', target: 'live' })).toEqual({
      agentId: 'bob',
      taskType: 'deploy',
      taskParams: { target: 'live' },
      scope: [{ type: 'issue', identifier: 'acme/app#7' }],
    })
  })

  test('has no context where neither task nor room names one', () => {
    expect(of(undefined, null).scope).toEqual([])
  })
})
