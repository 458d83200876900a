/** Which of several clones starts work: one at a time, by claims at the remote, over restarts, silence and copies. */
import { expect, test } from 'vitest'
import { lifetimeOf, openNode } from '../../../src/engine/sync/node.ts'
import type { ClaimText, HomeRemote } from '../../../src/ports/remote-port.ts'

const SYNC_MS = 60_000
const LIFE = lifetimeOf(SYNC_MS)

/** A remote with one claim, a clock for all, and a disk for each clone. */
function scene() {
  let now = 0
  let held: { mark: string; by: ClaimText } | null = null
  let marks = 0
  let ids = 0
  let state: 'up' | 'down' | 'refuses' = 'up'
  const remote = {
    async claimed() {
      if (state === 'down') return { wrong: 'origin cannot be reached' }
      return held === null ? { kind: 'free' } : { kind: 'held', ...held }
    },
    async claim({ by, over, noted }: Parameters<HomeRemote['claim']>[0]) {
      const mark = `m${++marks}`
      noted(mark)
      if (state !== 'up') return { wrong: 'origin refuses refs/neo/node', refused: true }
      if ((held?.mark ?? null) !== over) return { kind: 'taken' }
      held = { mark, by }
      return { kind: 'claimed', mark }
    },
    async release({ mark }: Parameters<HomeRemote['release']>[0]) {
      if (held?.mark === mark) held = null
    },
  } as unknown as HomeRemote
  const clone = (host: string, disk: { text: unknown } = { text: null }) => {
    const files = {
      readJson: () => disk.text,
      writeJson(_: string, value: unknown) {
        disk.text = structuredClone(value)
      },
    }
    const options = { dir: '/d', host, clock: { now: () => now }, random: { id: () => `s-${++ids}` } }
    const open = (asks: 'yes' | 'no' = 'yes') =>
      openNode({ ...options, files, asks } as unknown as Parameters<typeof openNode>[0])
    let node = open()
    return {
      disk,
      ask: (inStep = true) => node.ask({ home: '/h', remote, syncMs: SYNC_MS, inStep, ms: 1 }),
      here: () => node.elsewhere(SYNC_MS),
      off: () => node.elsewhere(null),
      release: () => node.release('/h', remote),
      restart() {
        node = open()
      },
      command: () => open('no').elsewhere(SYNC_MS),
    }
  }
  return {
    clone,
    remote(next: typeof state) {
      state = next
    },
    wait(ms: number) {
      now += ms
    },
  }
}

test('the first clone starts work, at once or after a restart; the other only where that one is silent for long', async () => {
  const { clone, wait } = scene()
  const [a, b] = [clone('one'), clone('two')]
  expect([a.here(), a.off(), a.command()]).toEqual([expect.stringMatching(/checking/), null, null])
  await Promise.all([a.ask(), b.ask()])
  expect([a.here(), b.here(), b.command()]).toEqual([null, 'one', 'one'])
  a.restart()
  expect(a.here()).toMatch(/checking/)
  await a.ask()
  expect(a.here()).toBeNull()
  for (let at = 0; at < 40; at++) {
    wait(SYNC_MS)
    await a.ask()
    await b.ask()
  }
  expect([a.here(), b.here()]).toEqual([null, 'one'])
  for (let waited = 0; waited <= LIFE; waited += SYNC_MS) {
    wait(SYNC_MS)
    await b.ask(false)
  }
  expect(b.here()).toBe('one')
  await b.ask()
  expect([b.here(), a.here()]).toEqual([null, expect.stringMatching(/checking/)])
  await a.ask()
  expect(a.here()).toBe('two')
})

test('a clone that gives the claim up is followed at once', async () => {
  const { clone } = scene()
  const [a, b] = [clone('one'), clone('two')]
  await a.ask()
  await b.ask()
  await b.release()
  await b.ask()
  expect(b.here()).toBe('one')
  await a.release()
  await b.ask()
  await a.ask()
  expect([a.here(), b.here()]).toEqual(['two', null])
})

test('without an answer each goes on as it was', async () => {
  const { clone, remote, wait } = scene()
  const [a, b, c] = [clone('one'), clone('two'), clone('three')]
  await a.ask()
  await b.ask()
  remote('down')
  wait(2 * LIFE)
  expect([await a.ask(), await b.ask(), await c.ask()]).toEqual([null, null, null])
  expect([a.here(), b.here(), c.here()]).toEqual([null, 'one', null])
})

test('a copy of a clone, on whichever host, does not start the same work', async () => {
  const { clone } = scene()
  const a = clone('one')
  await a.ask()
  const copy = clone('one', structuredClone(a.disk))
  await copy.ask()
  await a.ask()
  expect([copy.here(), a.here()]).toEqual([null, 'one (another clone)'])
})

test('a server that takes no claims is named, with what to do', async () => {
  const { clone, remote } = scene()
  remote('refuses')
  const a = clone('one')
  expect(await a.ask()).toMatch(/refuses refs\/neo\/node: .*Set daemon\.node/)
  expect(a.here()).toBeNull()
})
