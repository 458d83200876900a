/** Queries of other agents, from the request to its end: what is one request, what is given again, what ends it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openFiles } from '../../src/adapters/disk/disk-files.ts'
import type { QueryParams } from '../../src/aoi/agent-core.ts'
import { Queries, type QueryDeps } from '../../src/aoi/desk/answer-queries.ts'
import { openFairQueue } from '../../src/aoi/desk/fair-queue.ts'
import { openRequests, type PeerRequest } from '../../src/aoi/desk/requests.ts'
import type { AgentConfig } from '../../src/domain/peer/peer.ts'
import { HUB_CODES, HubError } from '../../src/hub/hub.ts'
import { MovedClock, settled } from '../moved-clock.ts'

const SCOPE = [{ type: 'repository', identifier: 'acme/shop' }] as const
const ASKED: QueryParams = {
  ...{ query: 'how far?', scope: SCOPE, priority: 'normal', isAsync: false, timeoutS: 30 },
}
const FACTS = {
  ...{ summary: 'One task is open.', blockers: [], contextRefs: [], facts: [], roomId: 'shop' },
  ...{ auto: true, priority: 'high' },
}
const CONFIG = { focusHours: null, interrupt: true, approvalRequired: true, autoRespond: 0 }

interface Desk {
  readonly queries: Queries
  readonly clock: MovedClock
  /** Calls of the hub, by method. */
  readonly calls: string[]
  readonly ended: PeerRequest[]
  statuses(): readonly string[]
  /** The same home after a restart. */
  again(more?: Given): Desk
}

interface Given extends Partial<QueryDeps> {
  /** What the hub says of the rules now. */
  readonly facts?: () => object
}

function openDesk(given: Given = {}, dir = folder(), clock = new MovedClock()): Desk {
  const { facts = () => FACTS, ...more } = given
  const [calls, ended]: [string[], PeerRequest[]] = [[], []]
  const requests = openRequests(openFiles(), dir)
  const queries = new Queries({
    hub: {
      async call(_, method) {
        calls.push(method)
        if (method === 'aoi.query') return facts()
        throw new HubError(HUB_CODES.denied, 'It needs approval', { ask: `a-${calls.length}` })
      },
    },
    ...{ clock, requests, queue: openFairQueue(() => 8), timezone: () => 'UTC' },
    config: () => CONFIG as unknown as AgentConfig,
    ...{ isKnown: () => true, mostOf: () => 5, canWord: () => false, word: async () => null },
    ...{ changed: () => {}, ended: (request) => ended.push(request) },
    ...more,
  })
  const statuses = () => requests.all().map(({ status }) => status)
  return { queries, clock, calls, ended, statuses, again: (of = {}) => openDesk(of, dir, clock) }
}

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'neo-desk-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

const gathered = ({ calls }: Desk): number => calls.filter((method) => method === 'aoi.query').length
const withAsk = { facts: () => ({ ...FACTS, auto: false }) }

test('a client that counts its ids from 1 again asks something else, and gets its own answer', async () => {
  const desk = openDesk({ facts: () => ({ ...FACTS, summary: 'One of two.' }) })
  expect((await desk.queries.ask('ana', '1', ASKED)).summary).toBe('One of two.')
  const later = desk.again()
  const other = await later.queries.ask('ana', '1', { ...ASKED, query: 'what is open?' })
  expect([other.completed, other.summary]).toEqual([true, 'One task is open.'])
  expect(later.statuses()).toEqual(['answered', 'answered'])
})

test.each([
  ['another question', { query: 'how long?' }, false],
  ['another scope', { scope: [{ type: 'repository', identifier: 'acme/web' }] }, false],
  ['another priority', { priority: 'high' }, true],
  ['an answer that may come later', { isAsync: true }, true],
] as const)('the same id with %s', async (_, more, isSame) => {
  const desk = openDesk()
  const first = await desk.queries.ask('ana', 'r-1', ASKED)
  const other = await desk.queries.ask('ana', 'r-1', { ...ASKED, ...more })
  expect(other.queryId === first.queryId).toBe(isSame)
  expect(gathered(desk)).toBe(isSame ? 1 : 2)
})

test('the same request of another agent is another one', async () => {
  const desk = openDesk()
  const first = await desk.queries.ask('ana', 'r-1', ASKED)
  expect((await desk.queries.ask('eve', 'r-1', ASKED)).queryId).not.toBe(first.queryId)
})

test.each([
  [9 * 60_000, 1],
  [11 * 60_000, 2],
])('the same request %i ms after its answer was given', async (ms, times) => {
  const desk = openDesk()
  await desk.queries.ask('ana', '1', ASKED)
  await desk.clock.move(ms)
  expect((await desk.queries.ask('ana', '1', ASKED)).completed).toBe(true)
  expect([gathered(desk), desk.statuses()]).toEqual([times, ['answered']])
})

test('an answer that came later is given to its caller, however late it asks, and a while longer', async () => {
  const desk = openDesk(withAsk)
  const { queryId, waitsForPerson } = await desk.queries.ask('ana', '1', ASKED)
  expect(waitsForPerson).toBe(true)
  desk.queries.approved({ queryId, agentId: 'ana', summary: 'All done.', blockers: [], contextRefs: [] })
  expect(desk.ended.map(({ status }) => status)).toEqual(['answered'])
  await desk.clock.move(3 * 24 * 3_600_000)
  for (const ms of [0, 5 * 60_000])
    expect(await desk.clock.move(ms).then(() => desk.queries.ask('ana', '1', ASKED))).toMatchObject({
      summary: 'All done.',
    })
  await desk.clock.move(6 * 60_000)
  expect((await desk.queries.ask('ana', '1', ASKED)).waitsForPerson).toBe(true)
})

test('while an answer waits for a person, the same request is that one, also after a restart', async () => {
  const desk = openDesk(withAsk)
  await desk.queries.ask('ana', '1', ASKED)
  await desk.clock.move(24 * 3_600_000)
  const later = desk.again(withAsk)
  expect((await later.queries.ask('ana', '1', ASKED)).waitsForPerson).toBe(true)
  expect(later.calls).toEqual([])
})

test('a query that fails leaves nothing open, and may be asked again', async () => {
  let fails = true
  const word: QueryDeps['word'] = async () => {
    if (fails) throw new Error('the model is gone')
    return null
  }
  const desk = openDesk({ word })
  await expect(desk.queries.ask('ana', '1', ASKED)).rejects.toThrow('the model is gone')
  expect(desk.statuses()).toEqual([])
  fails = false
  expect((await desk.queries.ask('ana', '1', ASKED)).completed).toBe(true)
})

test('one whose caller waits for a notification is refused then, and the agent hears of it', async () => {
  const word: QueryDeps['word'] = async () => Promise.reject(new Error('the model is gone'))
  const desk = openDesk({ word })
  expect((await desk.queries.ask('ana', '1', { ...ASKED, isAsync: true })).completed).toBe(false)
  await settled()
  expect(desk.ended.map(({ answer }) => answer?.refused)).toEqual(['The query could not be answered'])
})

test('what the rules refuse is not on record', async () => {
  const desk = openDesk({
    facts: () => {
      throw new HubError(HUB_CODES.denied, 'rule 3 of neo.yaml')
    },
  })
  await expect(desk.queries.ask('ana', '1', ASKED)).rejects.toMatchObject({
    message: 'Permission denied',
    data: { reason: 'no rule gives this agent access', requested_scope: SCOPE },
  })
  expect(desk.statuses()).toEqual([])
})

test('rules that change while a model words the answer count', async () => {
  let may = true
  const desk = openDesk({
    canWord: () => true,
    facts: () => {
      if (may) return FACTS
      throw new HubError(HUB_CODES.denied, 'x')
    },
    word: async () => {
      may = false
      return { summary: 'It is nearly done.', refs: [] }
    },
  })
  await expect(desk.queries.ask('ana', '1', ASKED)).rejects.toThrow('Permission denied')
  expect(desk.statuses()).toEqual([])
})

test('an agent that is revoked while its query is worded gets a refusal, not the answer', async () => {
  let end = (): void => {}
  const word: QueryDeps['word'] = () => new Promise((resolve) => (end = () => resolve(null)))
  const requests = openRequests(openFiles(), folder())
  const desk = openDesk({ word, requests })
  const asked = desk.queries.ask('ana', '1', ASKED)
  await settled()
  const [open] = requests.open()
  if (open !== undefined) desk.queries.refuse(open, 'this agent is revoked')
  end()
  expect(await asked).toMatchObject({ summary: '', refused: 'this agent is revoked' })
})

test('an approved answer counts for the agent that asked, once, and not if it is revoked', async () => {
  let known = true
  const desk = openDesk({ ...withAsk, isKnown: () => known })
  const { queryId } = await desk.queries.ask('ana', '1', ASKED)
  const answer = { queryId, agentId: 'ana', summary: 'Done.', blockers: [], contextRefs: [] }
  desk.queries.approved({ ...answer, agentId: 'eve' })
  desk.queries.approved({ ...answer, queryId: 'q-0000000000000' })
  expect(desk.statuses()).toEqual(['waiting'])
  known = false
  desk.queries.approved(answer)
  known = true
  desk.queries.approved(answer)
  expect(desk.ended.map(({ answer: of }) => of?.refused)).toEqual(['this agent is revoked'])
})

test('a caller stops waiting after its time, and finds the answer later', async () => {
  let end = (): void => {}
  const word: QueryDeps['word'] = () => new Promise((resolve) => (end = () => resolve(null)))
  const desk = openDesk({ word })
  const asked = desk.queries.ask('ana', '1', { ...ASKED, timeoutS: 5 })
  const failed = expect(asked).rejects.toMatchObject({ message: 'Timeout', code: -32005 })
  await settled()
  await desk.clock.move(5_000)
  await failed
  expect((await desk.queries.ask('ana', '1', ASKED)).completed).toBe(false)
  end()
  await settled()
  expect((await desk.queries.ask('ana', '1', ASKED)).completed).toBe(true)
  expect(gathered(desk)).toBe(1)
})

test('at most ten answers for one agent wait for a person; others are not held up', async () => {
  const desk = openDesk({ ...withAsk, mostOf: () => 50 })
  for (let at = 0; at < 10; at++) await desk.queries.ask('ana', `r-${at}`, ASKED)
  await expect(desk.queries.ask('ana', 'r-10', ASKED)).rejects.toMatchObject({ code: -32004 })
  expect((await desk.queries.ask('ana', 'r-3', ASKED)).waitsForPerson).toBe(true)
  expect((await desk.queries.ask('eve', 'r-10', ASKED)).waitsForPerson).toBe(true)
})

const FOCUSED = { ...CONFIG, focusHours: [9, 17] }
const focused = { config: () => FOCUSED as unknown as AgentConfig }

test('a query of focus hours is answered at their end, once, also after a restart', async () => {
  const desk = openDesk(focused)
  expect(await desk.queries.ask('ana', '1', ASKED)).toMatchObject({
    completed: false,
    summary: 'The answer comes after the focus hours of its owner.',
  })
  desk.queries.close()
  const later = desk.again(focused)
  later.queries.begin()
  await later.clock.move(4 * 3_600_000)
  expect(later.statuses()).toEqual(['buffered'])
  await later.clock.move(3_600_000)
  expect([later.statuses(), later.ended.length]).toEqual([['answered'], 1])
})

test('a query that waits for the end of focus hours can be refused before', async () => {
  const requests = openRequests(openFiles(), folder())
  const desk = openDesk({ ...focused, requests })
  await desk.queries.ask('ana', '1', ASKED)
  for (const request of requests.open()) desk.queries.refuse(request, 'this agent is revoked')
  await desk.clock.move(24 * 3_600_000)
  expect([requests.open(), desk.ended.length, gathered(desk)]).toEqual([[], 1, 1])
})

test('a query that a restart has interrupted is answered after it', async () => {
  const desk = openDesk({ word: () => new Promise(() => {}) })
  void desk.queries.ask('ana', '1', { ...ASKED, isAsync: true })
  await settled()
  desk.queries.close()
  const later = desk.again()
  later.queries.begin()
  await later.clock.move(0)
  expect([later.statuses(), later.ended.length]).toEqual([['answered'], 1])
})
