/** What this home has asked: an answer counts from the agent that was asked, once, and bounded. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openFiles } from '../../src/adapters/disk/disk-files.ts'
import { askKept, OwnQueries } from '../../src/aoi/out/own-queries.ts'
import type { Peer } from '../../src/domain/peer/peer.ts'
import type { AnswerView } from '../../src/hub/peer-control.ts'

const SCOPE = [{ type: 'repository', identifier: 'acme/shop' }] as const
const OF = { query: 'how far?', scope: SCOPE, priority: 'normal', isAsync: false, timeoutS: 30 } as const
const ben = { id: 'ben' } as Peer
const answer = (more: Partial<AnswerView> = {}): AnswerView => ({
  ...{ queryId: 'r-1', completed: true, summary: 'Done.', contextRefs: [] },
  ...more,
})
const notice = (data: object, more: object = {}) => ({
  ...{ event: 'query.completed', relatedQueryId: 'r-1', data: data as Record<string, unknown> },
  ...more,
})
const RESULT = { result: { summary: 'Done.', completed: true } }

function asked() {
  const dir = mkdtempSync(join(tmpdir(), 'neo-own-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const open = () => new OwnQueries(openFiles(), dir, () => Date.UTC(2026, 0, 5, 12))
  return { own: open(), again: open }
}

/** One question to ben that waits for its answer. */
async function waiting() {
  const { own, again } = asked()
  const send = async () => answer({ completed: false, summary: 'A person has to approve it.' })
  await askKept(own, { to: ben, of: OF, id: 'r-1', send })
  return {
    own,
    again,
    status: () =>
      again()
        .all(5)
        .map(({ status }) => status),
  }
}

test('an answer that is there at once is kept, also after a restart', async () => {
  const { own, again } = asked()
  expect(await askKept(own, { to: ben, of: OF, id: 'r-1', send: async () => answer() })).toEqual(answer())
  expect(again().all(5)).toMatchObject([
    {
      ...{ id: 'r-1', agentId: 'ben', status: 'answered', scope: ['repository:acme/shop'], why: null },
      ...{ at: '2026-01-05T12:00:00.000Z', answer: answer() },
    },
  ])
})

test('a question that could not be asked is not on record', async () => {
  const { own, again } = asked()
  const send = () => Promise.reject(new Error('no route to host'))
  await expect(askKept(own, { to: ben, of: OF, id: 'r-1', send })).rejects.toThrow('no route to host')
  expect([again().all(5), own.open('ben')]).toEqual([[], []])
})

test('a question on its way is not asked again in the meantime', async () => {
  const { own } = asked()
  let reply = (_: AnswerView): void => {}
  const send = () => new Promise<AnswerView>((resolve) => (reply = resolve))
  const done = askKept(own, { to: ben, of: OF, id: 'r-1', send })
  expect(own.open('ben')).toEqual([])
  reply(answer({ completed: false }))
  await done
  expect([own.open('ben').length, own.open('eve').length]).toEqual([1, 0])
})

test.each([
  ['an answer', notice(RESULT), 'answered'],
  ['a refusal', notice({ error: { data: { reason: 'no' } } }), 'refused'],
  ['neither of both', notice({}), 'refused'],
  ['an answer that is still to come', notice({ result: { summary: 'x', completed: false } }), 'waiting'],
  ['another event', notice(RESULT, { event: 'task.completed' }), 'waiting'],
  ['another question', notice(RESULT, { relatedQueryId: 'r-2' }), 'waiting'],
  ['no question', notice(RESULT, { relatedQueryId: null }), 'waiting'],
])('a notification with %s', async (_, told, wanted) => {
  const { own, status } = await waiting()
  expect(own.notified('ben', told) === null).toBe(wanted === 'waiting')
  expect(status()).toEqual([wanted])
})

test('a notification counts from the agent that was asked, and once', async () => {
  const { own, status } = await waiting()
  expect(own.notified('eve', notice(RESULT))).toBeNull()
  expect(status()).toEqual(['waiting'])
  expect(own.notified('ben', notice(RESULT))?.answer?.summary).toBe('Done.')
  expect(own.notified('ben', notice({ result: { summary: 'Other.', completed: true } }))).toBeNull()
  expect(own.all(1)).toMatchObject([{ answer: { summary: 'Done.' } }])
})

test('an answer that is faster than its reply counts', async () => {
  const { own } = asked()
  const send = async () => {
    own.notified('ben', notice(RESULT))
    return answer({ completed: false, summary: 'It comes later.' })
  }
  await askKept(own, { to: ben, of: OF, id: 'r-1', send })
  expect(own.all(1)).toMatchObject([{ status: 'answered', answer: { summary: 'Done.' } }])
})

test('what is kept of an answer is bounded, and on one line where it is short', async () => {
  const refs = Array.from({ length: 60 }, () => ({
    type: 'file',
    ref: 'a',
    summary: `a\n\u202eb${'c'.repeat(600)}`,
  }))
  const blockers = Array.from({ length: 60 }, () => 'x\ty')
  const { own } = asked()
  const send = async () => answer({ summary: 's'.repeat(50_000), contextRefs: refs, blockers })
  await askKept(own, { to: ben, of: OF, id: 'r-1', send })
  const [kept] = own.all(1)
  const { summary, contextRefs, blockers: blocked } = kept?.answer ?? answer()
  expect([summary.length, contextRefs.length, blocked?.length, blocked?.[0]]).toEqual([20_000, 50, 50, 'x y'])
  expect(contextRefs[0]?.summary).toMatch(/^a bc{496}…$/)
})

test('the questions to an agent that is revoked end, and say why', async () => {
  const { own } = await waiting()
  own.end('eve', 'x')
  own.end('ben', 'you have revoked this agent')
  expect(own.all(5)).toMatchObject([{ status: 'ended', why: 'you have revoked this agent' }])
  expect(own.notified('ben', notice(RESULT))).toBeNull()
})
