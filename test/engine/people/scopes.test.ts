/** What is known of conversations beside their files: tasks that began there, who is silent, whose messages are whose. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openFiles } from '../../../src/adapters/disk/disk-files.ts'
import {
  forgetQueued,
  isOfScope,
  openScopeBoard,
  openScopeTasks,
  type ScopeControl,
} from '../../../src/engine/people/scope-board.ts'
import { openQueue } from '../../../src/store/durable-queue.ts'

function folder(): string {
  const dir = join(mkdtempSync(join(tmpdir(), 'neo-scopes-')), 'neo')
  onTestFinished(() => rmSync(join(dir, '..'), { recursive: true, force: true }))
  return dir
}

describe('openScopeTasks()', () => {
  test('has what was started, and what was told of it, also after a restart', () => {
    const dir = folder()
    const tasks = openScopeTasks(openFiles(), dir)
    tasks.started('t-a', { scope: 'family', speaker: 'human' })
    tasks.started('t-b', { scope: 'work', speaker: 'member:ann' })
    tasks.ended('t-a', 'completed@1')
    tasks.ended('t-unknown', 'completed@1')
    for (const all of [tasks.all(), openScopeTasks(openFiles(), dir).all()])
      expect([...all]).toEqual([
        ['t-a', { scope: 'family', speaker: 'human', told: 'completed@1' }],
        ['t-b', { scope: 'work', speaker: 'member:ann', told: '' }],
      ])
  })

  test('keeps the newest 200 of each conversation', () => {
    const tasks = openScopeTasks(openFiles(), folder())
    tasks.started('t-work', { scope: 'work', speaker: 'human' })
    for (let n = 0; n < 202; n++) tasks.started(`t-${n}`, { scope: 'family', speaker: 'human' })
    const all = tasks.all()
    expect([all.size, all.has('t-1'), all.has('t-2'), all.has('t-work')]).toEqual([201, false, true, true])
  })

  test('forgets those of a purged conversation only', () => {
    const tasks = openScopeTasks(openFiles(), folder())
    tasks.started('t-a', { scope: 'family', speaker: 'human' })
    tasks.started('t-b', { scope: 'work', speaker: 'human' })
    tasks.forget('family')
    expect([...tasks.all().keys()]).toEqual(['t-b'])
  })

  test('reads no row without a task or with a speaker that is nobody', () => {
    const dir = folder()
    const tasks = openScopeTasks(openFiles(), dir)
    tasks.started('t-a', { scope: 'family', speaker: 'human' })
    const rows = [
      null,
      5,
      {},
      { task: 't-x', speaker: 'agent:x' },
      { task: 7, speaker: 'human' },
      { task: 't-b', speaker: 'human' },
    ]
    writeFileSync(join(dir, 'scopes/family/tasks.json'), JSON.stringify(rows))
    expect([...openScopeTasks(openFiles(), dir).all().keys()]).toEqual(['t-b'])
  })
})

describe('openScopeBoard()', () => {
  const board = () => openScopeBoard(openScopeTasks(openFiles(), folder()))

  test('has the reason of a silent conversation until it may speak', () => {
    const scopes = board()
    scopes.silence('family', 'somebody is unknown')
    expect([scopes.silenced('family'), scopes.silenced('work')]).toEqual(['somebody is unknown', null])
    scopes.silence('family', null)
    expect(scopes.silenced('family')).toBeNull()
  })

  test('detaches only the control that is attached', () => {
    const scopes = board()
    const [first, second] = [{} as ScopeControl, {} as ScopeControl]
    const detach = scopes.attach(first)
    scopes.attach(second)
    detach()
    expect(scopes.control()).toBe(second)
  })
})

const FAMILY = { name: 'family', key: 'telegram:7' }

test.each<[unknown, boolean]>([
  [{ scope: 'family' }, true],
  [{ scope: 'work', channel: 'telegram', chatId: '7' }, false],
  [{ path: '/x/scopes/family/media/a.jpg' }, true],
  [{ path: '/x/scopes/family-2/media/a.jpg' }, false],
  [{ channel: 'telegram', chatId: '7' }, true],
  [{ channel: 'telegram', chatId: '7', thread: '3' }, false],
  [{ channel: 'telegram', chatId: '77' }, false],
  [null, false],
  ['family', false],
])('isOfScope() of %j is %s', (item, is) => {
  expect(isOfScope(item, FAMILY)).toBe(is)
})

test('isOfScope() takes no message without a place for one of a conversation without a key', () => {
  expect(isOfScope({}, { name: 'family', key: '' })).toBe(false)
})

test('forgetQueued() removes the messages of one conversation from all queues, and counts them', () => {
  const dir = folder()
  const files = openFiles()
  const queues = ['inbound', 'outbound', 'media'].map((name) => join(dir, 'queues', `${name}.jsonl`))
  for (const [n, path] of queues.entries()) {
    const queue = openQueue(files, path)
    queue.put(`mine-${n}`, { scope: 'family', text: 'private words' })
    queue.put(`other-${n}`, { scope: 'work', text: 'other words' })
  }
  expect(forgetQueued(files, dir, FAMILY)).toBe(3)
  expect(forgetQueued(files, dir, FAMILY)).toBe(0)
})
