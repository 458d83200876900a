/** Pull requests in the background: asked for seldom, one at a time, and what a forge says becomes a fact. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openFiles } from '../../../src/adapters/disk/disk-files.ts'
import { openPulls } from '../../../src/engine/agents/pulls.ts'
import { openActed } from '../../../src/engine/commit/acted-log.ts'
import type { Forges, PullRequest } from '../../../src/ports/forge-port.ts'
import { handClock } from '../hand-clock.ts'

type Said = PullRequest | null | { readonly wrong: string }

const PLACE = { repository: '/home', folder: 'workspace/files', base: 'main' }
const URL = 'https://forge.example/1'
const OPEN: PullRequest = { url: URL, number: 1, state: 'open' }

/** A forge whose answers come when the test says so. */
function desk(noForge = false) {
  const clock = handClock()
  const asked: { readonly what: 'open' | 'state'; answer(said: Said | Error): Promise<void> }[] = []
  let changes = 0
  const ask = (what: 'open' | 'state') =>
    new Promise<never>((resolve, reject) => {
      const answer = async (said: Said | Error) => {
        if (said instanceof Error) reject(said)
        else resolve(said as never)
        await new Promise((after) => setImmediate(after))
      }
      asked.push({ what, answer })
    })
  const forges: Forges = {
    open: () => ask('open'),
    state: () => ask('state'),
    target: async () => ({ remote: 'origin', commit: 'c1' }),
    fetchBase: async () => null,
  }
  const changed = () => void changes++
  const dir = mkdtempSync(join(tmpdir(), 'neo-pulls-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const acted = openActed(openFiles(), dir)
  const pulls = openPulls({ forges: noForge ? null : forges, clock, env: {}, changed, acted })
  const follow = (known = true) => pulls.follow({ task: 't-a', place: PLACE, branch: 'neo/a', known })
  const open = () => pulls.open({ task: 't-a', place: PLACE, branch: 'neo/a', title: 'A', body: '' })
  return { clock, pulls, asked, follow, open, changes: () => changes }
}

test.each<[string, Said | Error, object | undefined]>([
  ['open', OPEN, { kind: 'open', url: URL }],
  ['merged', { ...OPEN, state: 'merged' }, { kind: 'merged', url: URL }],
  ['closed', { ...OPEN, state: 'closed', reason: 'no' }, { kind: 'closed', url: URL, reason: 'no' }],
  ['closed without a word', { ...OPEN, state: 'closed' }, { kind: 'closed', url: URL, reason: '' }],
  ['gone', null, undefined],
  ['refused', { wrong: 'no token' }, { kind: 'failed', error: 'no token' }],
  ['out of reach', new Error('ECONNREFUSED'), { kind: 'failed', error: 'ECONNREFUSED' }],
])('pulls.follow() says what the forge said: %s', async (_what, said, fact) => {
  const { follow, asked } = desk()
  expect(follow()).toEqual({ kind: 'opening' })
  await asked[0]?.answer(said)
  if (fact === undefined) expect(follow()).toBeUndefined()
  else expect(follow()).toMatchObject(fact)
})

test('pulls.follow() asks again after a minute, not while it waits, and wakes only for news', async () => {
  const { clock, follow, asked, changes } = desk()
  follow()
  clock.pass(120_000)
  follow()
  expect(asked).toHaveLength(1)
  await asked[0]?.answer(OPEN)
  clock.pass(59_999)
  follow()
  expect([asked.length, changes()]).toEqual([1, 1])
  clock.pass(1)
  follow()
  await asked[1]?.answer(OPEN)
  expect([asked.length, changes()]).toEqual([2, 1])
  clock.pass(-86_400_000)
  follow()
  expect(asked).toHaveLength(3)
})

test('pulls.follow() asks nothing for a task without a pull request', () => {
  const { follow, asked } = desk()
  expect([follow(false), asked.length]).toEqual([undefined, 0])
})

test('pulls.open() opens one request at a time, and a failure has a time to retry', async () => {
  const { clock, open, follow, asked } = desk()
  open()
  open()
  expect([asked.map(({ what }) => what), follow()]).toEqual([['open'], { kind: 'opening' }])
  await asked[0]?.answer({ wrong: 'push refused' })
  expect(follow(false)).toEqual({ kind: 'failed', error: 'push refused', at: clock.now() + 300_000 })
  open()
  expect(follow(false)).toEqual({ kind: 'opening' })
})

test('pulls say so in a build without forges', async () => {
  const { open, follow, pulls } = desk(true)
  open()
  await new Promise((after) => setImmediate(after))
  expect(follow()).toMatchObject({ kind: 'failed', error: 'this build has no support for forges' })
  expect(await pulls.target(PLACE, 'neo/a')).toBeNull()
})

test('pulls.refuse() is a fact with a time, and wakes', () => {
  const { clock, pulls, follow, changes } = desk()
  pulls.refuse('t-a', 'the room denies pushes')
  expect(follow(false)).toEqual({
    kind: 'failed',
    error: 'the room denies pushes',
    at: clock.now() + 300_000,
  })
  expect(changes()).toBe(1)
})

test('pulls.forget() drops what is no longer in review, but not while the forge is asked', async () => {
  const { pulls, follow, open, asked } = desk()
  pulls.refuse('t-a', 'denied')
  pulls.forget(new Set(['t-a']))
  expect(follow(false)).toMatchObject({ kind: 'failed' })
  pulls.forget(new Set())
  expect(follow(false)).toBeUndefined()
  open()
  pulls.forget(new Set())
  await asked[0]?.answer(OPEN)
  expect(follow(false)).toEqual({ kind: 'open', url: URL })
})

test('pulls.follow() asks about one that was opened here, whatever its task says', async () => {
  const { pulls, follow, open, asked } = desk()
  open()
  await asked[0]?.answer(OPEN)
  pulls.forget(new Set())
  expect(follow(false)).toEqual({ kind: 'opening' })
  await asked[1]?.answer({ ...OPEN, state: 'closed', reason: 'not now' })
  expect(follow(false)).toEqual({ kind: 'closed', url: URL, reason: 'not now' })
})
