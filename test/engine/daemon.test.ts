/** What ends a daemon, what does not, and what it leaves: in this process, over one home each. */
import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { composeWorld } from '../../src/compose.ts'
import { NeoError } from '../../src/domain/home/error.ts'
import type { World } from '../../src/ports/world.ts'
import { type Home, makeHome, runbook, until } from '../path/home.ts'

/** Waits of the engine are short. */
async function quickWorld(home: Home): Promise<World> {
  const world = await composeWorld(home.dir)
  const { clock } = world
  return { ...world, clock: { now: clock.now, after: (ms, call) => clock.after(Math.min(ms, 20), call) } }
}

test('a daemon stays and reports it when git or the disk fails under a sync', async () => {
  const home = makeHome({ 'neo.yaml': 'daemon: { settle: 0s, rescan: 1s, sync: 1s }\n' })
  const world = await quickWorld(home)
  let looks = 0
  const look = async () => {
    looks++
    throw new NeoError('git', 'cannot lock ref')
  }
  const remote = { ...(world.remote as NonNullable<World['remote']>), look }
  const daemon = home.watch({ world: { ...world, remote } })
  await until(() => looks > 1)
  const troubles = daemon.events.filter(({ kind }) => kind === 'trouble').map(({ text }) => text)
  expect(troubles).toEqual(['sync: cannot lock ref'])
  expect(JSON.parse(home.read('.neo/daemon.json')).troubles).toMatchObject([{ part: 'sync' }])
  expect((await daemon.stop()).exitCode).toBe(0)
})

test('a stop ends the wait after failed rounds at once', async () => {
  const home = makeHome()
  const world = await composeWorld(home.dir)
  let failing = false
  // No wait of the engine ends by itself once rounds fail.
  const after = (ms: number, call: () => void) => (failing ? () => {} : world.clock.after(ms, call))
  const refresh = async () => {
    failing = true
    throw new NeoError('git', 'no refresh')
  }
  const daemon = home.watch({
    world: { ...world, clock: { now: world.clock.now, after }, git: { ...world.git, refresh } },
  })
  await until(() => daemon.events.some(({ text }) => text === 'no refresh; retrying'))
  expect((await daemon.stop()).exitCode).toBe(0)
})

test('a stop during a round carries out nothing more of it', async () => {
  const home = makeHome()
  for (const name of ['a', 'b', 'c']) home.task(name, runbook(['true']))
  const abort = new AbortController()
  const events: string[] = []
  const print = ({ kind }: { readonly kind: string }) => {
    events.push(kind)
    if (kind === 'start') abort.abort()
  }
  await home.run({ signal: abort.signal, print })
  expect(events.filter((kind) => kind === 'start')).toEqual(['start'])
  await home.run()
  expect(['a', 'b', 'c'].map(home.status)).toEqual(['completed', 'completed', 'completed'])
})

test('a daemon whose lock another machine has taken ends, and leaves that one its files', async () => {
  const home = makeHome()
  const daemon = home.watch({ world: await quickWorld(home), guard: async () => ({ kind: 'none' }) })
  await daemon.ready()
  const owner = JSON.parse(home.read('.git/neo/lock.json'))
  const other = { ...owner, host: `not-${hostname()}`, pid: 7, seen: new Date().toISOString() }
  home.write('.neo/daemon.json', JSON.stringify({ pid: 7 }))
  home.write('.git/neo/lock.json', JSON.stringify(other))
  await until(() => daemon.events.some(({ text }) => text.includes('another machine has taken over')))
  expect((await daemon.stop()).exitCode).toBe(1)
  expect(JSON.parse(home.read('.git/neo/lock.json'))).toEqual(other)
  expect(JSON.parse(home.read('.neo/daemon.json')).pid).toBe(7)
})

test('a daemon that ends removes its own daemon.json and lock', async () => {
  const home = makeHome()
  const daemon = home.watch()
  await daemon.ready()
  expect(existsSync(join(home.dir, '.neo/daemon.json'))).toBe(true)
  await daemon.stop()
  expect([home.has('.neo/daemon.json'), home.has('.git/neo/lock.json')]).toEqual([false, false])
})

test('a second daemon is refused with the owner of the first', async () => {
  const home = makeHome()
  const daemon = home.watch()
  await daemon.ready()
  const second = home.run().catch((error: unknown) => error)
  expect(await second).toMatchObject({
    code: 'held',
    message: `Cannot start: another daemon is running for ${home.dir}`,
  })
  expect((await daemon.stop()).exitCode).toBe(0)
})

test('the servers of watch are closed when the loop fails', async () => {
  const home = makeHome()
  const world = await composeWorld(home.dir)
  let closed = false
  const stat = (path: string, kind?: 'file' | 'folder') => {
    if (closed || path !== world.git.gitDir) return world.files.stat(path, kind)
    throw new NeoError('disk', 'access denied')
  }
  const files = { ...world.files, stat }
  const serve = () => async () => {
    closed = true
  }
  const ran = home.run({ mode: 'watch', world: { ...world, files }, serve })
  await expect(ran).rejects.toThrow('access denied')
  expect([closed, home.has('.git/neo/lock.json')]).toEqual([true, false])
})
