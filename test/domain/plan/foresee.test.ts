/** What follows from what is due now, to rest: by dependencies, slots, people and other hosts; and never without end. */
import { expect, test } from 'vitest'
import type { Decision } from '../../../src/domain/plan/decision.ts'
import type { Facts, TaskFile } from '../../../src/domain/plan/snapshot.ts'
import { afterAdoption, type Foreseen, foresee, MOST_ROWS } from '../../../src/domain/plan/foresee.ts'
import { config, facts, NOW, newFile, roomFile, session, snapshot, taskFile } from '../../builders.ts'

function ahead(tasks: readonly TaskFile[], known: Facts = facts()): Foreseen {
  const scene = {
    snapshot: snapshot({ tasks, rooms: [roomFile('shop', { concurrency: 2 })], config: config() }),
    facts: known,
    now: NOW,
  }
  return foresee(scene, { snapshot: afterAdoption(scene), facts: known })
}

const nameOf = (one: Decision) =>
  `${one.kind} ${'path' in one ? one.path.slice('rooms/shop/tasks/'.length, -3) : ''}`
const shown = ({ now, then }: Foreseen) => [now, ...then].map((step) => step.map(nameOf))
const waits = ({ waiting }: Foreseen) => waiting.map(({ path, on }) => `${path.slice(17, -3)}: ${on}`)

const human = { worker: { kind: 'human' } } as const
const none = { review: 'none' } as const

test.each<[string, readonly TaskFile[], readonly (readonly string[])[], readonly string[]]>([
  [
    'new files, those that depend on them, and no more than slots at a time',
    [
      newFile('a', none),
      newFile('b', none),
      newFile('c', none),
      newFile('d', { ...none, dependsOn: ['a', 'b'] }),
    ],
    [
      ['adopt a', 'adopt b', 'adopt c', 'adopt d'],
      ['start a', 'start b'],
      ['start c', 'start d'],
    ],
    [],
  ],
  [
    'a person, and who waits for that person',
    [taskFile('a', none), taskFile('b', { ...human, dependsOn: ['a'] }), taskFile('c', { dependsOn: ['b'] })],
    [['start a'], ['hand-over b']],
    ['c: b (in_progress)'],
  ],
  [
    'work that waits for a review',
    [taskFile('a', { review: 'branch' }), taskFile('b', { dependsOn: ['a'] })],
    [['start a']],
    ['b: a (review)'],
  ],
  [
    'a task without a session, and what a person set',
    [
      taskFile('a', { ...none, status: 'in_progress' }),
      taskFile('b', { gitStatus: 'edited', committedStatus: 'pending', status: 'cancelled' }),
    ],
    [['requeue a', 'record b'], ['start a']],
    [],
  ],
  [
    'nothing where nothing is due',
    [taskFile('a', { status: 'completed' }), taskFile('b', { dependsOn: ['gone'] })],
    [[]],
    ['b: gone: task not found'],
  ],
])('foresee() shows %s', (_, tasks, steps, waiting) => {
  const seen = ahead(tasks)
  expect([shown(seen), waits(seen), seen.end]).toEqual([steps, waiting, 'rest'])
})

test('foresee() lets a session that works now end well', () => {
  const running = taskFile('a', { ...none, status: 'in_progress', neo: { session: 's-a' } })
  const known = facts({ sessions: [session('a')] })
  const seen = ahead([running, taskFile('b', { ...none, dependsOn: ['a'] })], known)
  expect(shown(seen)).toEqual([[], ['start b']])
})

test('foresee() shows a host that starts no work only what is its own to do', () => {
  const known = { ...facts(), elsewhere: 'attic' }
  const seen = ahead([newFile('mine', none), newFile('came', { ...none, gitStatus: 'same' })], known)
  expect(shown(seen)).toEqual([['adopt mine']])
  expect(waits(seen)).toEqual(['mine: host attic, which alone starts work'])
})

test('foresee() ends at its bound', () => {
  const many = Array.from({ length: 3 * MOST_ROWS }, (_, at) => taskFile(`t${at}`, none))
  const seen = ahead(many)
  const rows = seen.then.flat().length
  expect([seen.end, rows >= MOST_ROWS || seen.then.length >= 59, rows < 2 * MOST_ROWS]).toEqual([
    'bound',
    true,
    true,
  ])
})
