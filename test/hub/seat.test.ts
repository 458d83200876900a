/** Sessions that wait for tasks: opened, told, given one task after the other in one worktree, moved, closed; over kills. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { composeWorld } from '../../src/compose.ts'
import { openHome } from '../../src/engine/open-engine.ts'
import { runRounds } from '../../src/engine/round.ts'
import { openIdleSessions } from '../../src/engine/agents/idle-sessions.ts'
import { runbook, until } from '../path/home.ts'
import { type HubHome, hubHome, NEO, turning } from './hub-home.ts'

/** What git ignores is what a worktree is worth keeping for. */
const IGNORED = { 'workspace/files/.gitignore': 'cache\n' }
const FIRST = runbook(['echo warm > cache', 'echo 1 > one.txt'], ['status: draft'])
const SECOND = runbook(['cat cache one.txt > two.txt'], ['status: draft'])
const FILES = { ...IGNORED, 'rooms/shop/tasks/a.md': FIRST, 'rooms/shop/tasks/b.md': SECOND }

async function statusOf({ call }: HubHome, taskId: string): Promise<string> {
  return (await call('task.get', { taskId })).status
}

async function becomes(home: HubHome, taskId: string, wanted: string): Promise<void> {
  await until(async () => (await statusOf(home, taskId)) === wanted)
}

/** The last task is cleared away a moment after it has ended. */
async function waits(home: HubHome, sessionId: string): Promise<void> {
  await until(async () => (await home.call('session.get', { sessionId })).status === 'waiting_for_input')
}

async function open(home: HubHome): Promise<string> {
  return (await home.call('session.create', { roomId: 'shop' })).sessionId
}

test('a session without a task waits, is listed, and its file is committed', async () => {
  const home = await hubHome()
  const sessionId = await open(home)
  expect(await home.call('session.get', { sessionId })).toMatchObject({
    status: 'waiting_for_input',
    state: 'dormant',
    roomId: 'shop',
    endedAt: null,
  })
  expect(home.home.git('status', '--porcelain')).toBe('')
  expect((await home.call('session.list', { status: ['waiting_for_input'] })).map(({ id }) => id)).toEqual([
    sessionId,
  ])
})

test('a session takes one task after the other, in one worktree, where what git ignores stays', async () => {
  const home = await turning(await hubHome(FILES))
  const sessionId = await open(home)
  for (const taskId of ['a', 'b']) {
    await becomes(home, taskId, 'draft')
    await home.call('task.start', { taskId, sessionId })
    await becomes(home, taskId, 'completed')
    await waits(home, sessionId)
  }
  expect(home.home.read('workspace/files/two.txt')).toBe('warm\n1\n')
  const transcript = home.home.read(`rooms/shop/transcripts/${sessionId}.jsonl`)
  expect(transcript.match(/"type":"start"/g)).toHaveLength(2)
  expect(home.home.git('branch', '--list', 'neo/*')).toBe('')
  await home.call('session.stop', { sessionId })
  expect(existsSync(join(home.home.dir, '.neo/worktrees', sessionId))).toBe(false)
})

test('a session has one task at a time, of its own room and workspace', async () => {
  const other = '---\nstatus: draft\nworkspace: ../elsewhere\n---\n# C\n'
  const home = await turning(
    await hubHome({
      'rooms/shop/tasks/a.md': runbook(['sleep 600'], ['status: draft']),
      'rooms/shop/tasks/b.md': SECOND,
      'rooms/shop/tasks/c.md': other,
      'rooms/else/tasks/d.md': SECOND,
    }),
  )
  const sessionId = await open(home)
  await becomes(home, 'a', 'draft')
  await home.call('task.start', { taskId: 'a', sessionId })
  await becomes(home, 'a', 'in_progress')
  expect(await home.refusal('task.start', { taskId: 'b', sessionId })).toMatchObject({ code: -32004 })
  for (const taskId of ['c', 'd'])
    expect(await home.refusal('task.start', { taskId, sessionId })).toMatchObject({ code: -32602 })
  expect(await home.refusal('task.start', { taskId: 'b', sessionId: 's-zzzzzz' })).toMatchObject({
    code: -32602,
  })
  await home.call('session.stop', { sessionId })
  await becomes(home, 'a', 'blocked')
})

test('what is said to a waiting session reaches the worker of its next task, once', async () => {
  const home = await hubHome({ 'rooms/shop/tasks/a.md': '---\nstatus: draft\nworker: agent\n---\n# A\n' })
  const sessionId = await open(home)
  await home.call('message.send', { sessionId, content: 'Be brief' }, NEO)
  await home.call('message.send', {
    sessionId,
    content: 'Key sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789',
  })
  const { messages } = openIdleSessions(home.context).get(sessionId) ?? { messages: [] }
  expect(messages.map(({ from, text }) => `${from}: ${text}`)).toEqual([
    'neo: Be brief',
    expect.stringMatching(/^human: Key (?!sk-ant-api03-abc)/),
  ])
})

test('what a crash left with a session though its worker had it is not handed to the next one', async () => {
  const home = await turning(
    await hubHome({
      'rooms/shop/tasks/a.md': runbook(
        ['while [ ! -e "$NEO_HOME/.git/go" ]; do sleep 0.05; done'],
        ['status: draft'],
      ),
    }),
  )
  const sessionId = await open(home)
  await home.call('message.send', { sessionId, content: 'Be brief' }, NEO)
  const seats = openIdleSessions(home.context)
  const { messages } = seats.get(sessionId) ?? { messages: [] }
  await becomes(home, 'a', 'draft')
  await home.call('task.start', { taskId: 'a', sessionId })
  await until(() => seats.get(sessionId)?.messages.length === 0)
  // The kill came after the start was committed, and before the seat was put back without them.
  const seat = seats.get(sessionId)
  if (seat !== null) seats.put({ ...seat, messages })
  home.home.write('.git/go', '')
  await becomes(home, 'a', 'completed')
  await waits(home, sessionId)
  expect([messages.length, seats.get(sessionId)?.messages]).toEqual([1, []])
})

test('a task that was given to a session runs in it after a kill, and only there', async () => {
  const home = await hubHome(FILES)
  const sessionId = await open(home)
  await home.call('task.start', { taskId: 'a', sessionId })
  // The process that was told so is gone; another one finds what is on the disk.
  const world = await composeWorld(home.home.dir)
  const context = await openHome({ home: home.home.dir, world, settleMs: 0 })
  let done = false
  const loop = (async () => {
    while (!done) {
      await runRounds(context, 'all', { allow: () => true })
      await new Promise((resolve) => setTimeout(resolve, 30))
    }
  })()
  await until(() => home.home.read('rooms/shop/tasks/a.md').includes('status: completed'))
  done = true
  await loop
  await world.git.close()
  expect(home.home.read(`rooms/shop/sessions/${sessionId}.md`)).toContain('status: completed')
  expect(
    readFileSync(join(home.home.dir, '.neo/worktrees', sessionId, 'workspace/files/cache'), 'utf8'),
  ).toBe('warm\n')
  expect(home.home.git('log', '--format=%(trailers:key=Neo-Session,valueonly)').match(/s-\w+/g)).toSatisfy(
    (ids: string[]) => new Set(ids).size === 1,
  )
})

test('a session that has waited in vain is moved, and closed by a stop', async () => {
  const home = await hubHome({ 'rooms/other/ROOM.md': '---\nname: Other\n---\n' })
  const sessionId = await open(home)
  await home.call('room.assignSession', { sessionId, roomId: 'other' })
  expect(await home.call('session.stop', { sessionId })).toMatchObject({ status: 'stopped', roomId: 'other' })
  expect(openIdleSessions(home.context).all()).toEqual([])
  expect(await home.refusal('message.send', { sessionId, content: 'x' })).toMatchObject({ code: -32002 })
})
