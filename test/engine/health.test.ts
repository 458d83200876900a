/** What a daemon says about itself in `.neo/daemon.json`, also on a full disk, and what it removes at its end. */
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openFiles } from '../../src/adapters/disk/disk-files.ts'
import { openProcesses } from '../../src/adapters/processes/processes.ts'
import type { Context, Event } from '../../src/engine/context.ts'
import {
  freeBytes,
  modelOfDaemon,
  openHealth,
  reportHeldTurns,
  reportRound,
  reportSigning,
} from '../../src/engine/health.ts'
import { facts, NOW, snapshot } from '../builders.ts'
import { handClock } from './hand-clock.ts'

function desk() {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'neo-health-')))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const disk = openFiles()
  const state = { isFull: false, writes: 0, heard: 0, unsigned: null as string | null }
  const writeJson = (path: string, value: unknown) => {
    if (state.isFull) throw new Error('ENOSPC')
    state.writes++
    disk.writeJson(path, value)
  }
  const clock = handClock(NOW)
  const events: Omit<Event, 'at'>[] = []
  const context = {
    home,
    world: {
      files: { ...disk, writeJson, readJson: disk.readJson, removeTree: disk.removeTree },
      processes: openProcesses(),
      clock,
      signing: { trouble: () => state.unsigned },
    },
    troubles: new Map(),
    troubled: new Set([() => void state.heard++]),
    emit: (event: Omit<Event, 'at'>) => void events.push(event),
  } as unknown as Context
  const path = join(home, '.neo', 'daemon.json')
  const said = () => JSON.parse(readFileSync(path, 'utf8'))
  return { home, state, clock, context, events, disk, path, said, health: openHealth(context, '1.2.3') }
}

test('daemon.json says from the start who runs, since when and where', () => {
  const { said, home } = desk()
  expect(said()).toMatchObject({
    pid: process.pid,
    home,
    startedAt: '2026-03-02T09:00:00.000Z',
    version: '1.2.3',
    url: null,
    token: null,
    model: null,
    troubles: [],
  })
})

test('a trouble is said from its beginning until its part is well, and written only when it changes', () => {
  const { health, said, clock, state } = desk()
  health.trouble('sync', 'no network')
  clock.pass(60_000)
  health.trouble('sync', 'no network')
  expect(state.writes).toBe(2)
  health.trouble('sync', 'no such host')
  expect(said().troubles).toEqual([{ part: 'sync', why: 'no such host', since: '2026-03-02T09:00:00.000Z' }])
  health.well('sync')
  health.well('sync')
  expect([said().troubles, state.writes, state.heard]).toEqual([[], 4, 4])
})

test('a full disk is a trouble in memory, until a round works again', () => {
  const { health, context, state, said } = desk()
  state.isFull = true
  health.trouble('round', 'ENOSPC')
  expect([...context.troubles.keys()]).toEqual(['round', 'disk'])
  state.isFull = false
  health.well('round')
  expect([context.troubles.size, said().troubles]).toEqual([0, []])
})

test('the model and the address of the hub stay while other things change', () => {
  const { health, said, state } = desk()
  health.model({ ref: 'x/y', error: null })
  health.model({ ref: 'x/y', error: null })
  health.served({ url: 'http://127.0.0.1:1', token: 'secret' })
  health.trouble('node', 'x')
  expect([said().model, said().url, state.writes]).toEqual([
    { ref: 'x/y', error: null },
    'http://127.0.0.1:1',
    4,
  ])
  health.served(null)
  expect([said().url, said().token]).toEqual([null, null])
})

test('health.close() removes its own file, writes none after that, and leaves that of another daemon', () => {
  const first = desk()
  first.health.close()
  first.health.trouble('sync', 'late')
  expect(first.disk.readJson(first.path)).toBeNull()
  const second = desk()
  second.disk.writeJson(second.path, { ...second.said(), startedAt: 'later' })
  second.health.close()
  expect(second.said().startedAt).toBe('later')
})

describe('modelOfDaemon()', () => {
  test.each([
    [
      { pid: 7, model: { ref: 'x/y', error: 'no key' } },
      { ref: 'x/y', error: 'no key' },
    ],
    [
      { pid: 7, model: { ref: 'x/y', error: 5 } },
      { ref: 'x/y', error: null },
    ],
    [{ pid: 8, model: { ref: 'x/y', error: null } }, null],
    [{ pid: 7, model: null }, null],
    [{ pid: 7 }, null],
    [null, null],
  ])('of %j is %j', (said, model) => {
    expect(modelOfDaemon({ readJson: () => said }, '/home', 7)).toEqual(model)
  })
})

test('reportSigning() says once why commits are not signed, until they are', () => {
  const { health, context, events, state } = desk()
  state.unsigned = 'gpg: no secret key'
  reportSigning(health, context)
  reportSigning(health, context)
  const text = 'gpg: no secret key; unlock the key, or set git.sign in neo.yaml'
  expect(events.map((event) => event.text)).toEqual([text])
  expect(context.troubles.get('signing')).toMatchObject({ why: text, needs: 'person' })
  state.unsigned = null
  reportSigning(health, context)
  expect(context.troubles.size).toBe(0)
})

test('reportRound() says once that HEAD has left the branch and how to get back, and once that it is back', () => {
  const { health, context, events } = desk()
  const away = { kind: 'away', why: "HEAD is on side, the home's branch is work", branch: 'work' } as const
  const home = { kind: 'home', branch: 'work', commit: '' } as const
  const busy = { kind: 'busy', why: 'git checkout runs' } as const
  for (const git of [home, busy, away, away, busy, away, home, home])
    reportRound(health, context, { snapshot: snapshot({ git }), facts: facts() })
  expect(events.map(({ text }) => text)).toEqual([
    "nothing starts: HEAD is on side, the home's branch is work; to continue, git switch work",
    'HEAD is on work again; Neo continues',
  ])
})

test('reportHeldTurns() names the rooms where Neo waits, and until when', () => {
  const { health, context } = desk()
  const turns = (at: number) =>
    facts({
      neo: {
        ready: 'yes',
        woken: new Set(),
        turns: new Map([['shop', { kind: 'waits', at, why: 'the budget is spent' }]]),
      },
    })
  reportHeldTurns(health, { snapshot: snapshot(), facts: turns(NOW + 60_000) }, NOW)
  expect(context.troubles.get('neo shop')?.why).toBe('the budget is spent; resumes at 2026-03-02T09:01:00Z')
  reportHeldTurns(health, { snapshot: snapshot(), facts: turns(NOW) }, NOW)
  expect(context.troubles.size).toBe(0)
})

test('freeBytes() is null where there is no such folder', () => {
  expect([freeBytes('/nowhere/at/all'), typeof freeBytes(tmpdir())]).toEqual([null, 'number'])
})
