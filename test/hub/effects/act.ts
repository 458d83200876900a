/**
 * Effects of the parameters that name what is acted on, and say how: of two alike, the named one changes.
 * Takes nothing; gives rows. Leaves to write.ts: what becomes lines of files.
 */
import { expect } from 'vitest'
import type { TaskStatus } from '../../../src/domain/task/task.ts'
import type { MethodName } from '../../../src/hub/method-table.ts'
import { runbook, until } from '../../path/home.ts'
import type { HubHome } from '../hub-home.ts'
import { type Effects, effects, type Files, type Proof } from './effect.ts'
import { opened, seat, sessions } from './live.ts'

const task = (id: string, status: TaskStatus, more = '') =>
  `---\nstatus: ${status}\nworker: human\n${more}neo: { id: t-${id}, created_at: 2026-03-01T09:00:00Z, created_by: human }\n---\n# ${id}\n`
const WEB = { 'rooms/web/ROOM.md': '---\nname: Web\n---\n' }
const pair = (status: TaskStatus): Files => ({
  ...WEB,
  'rooms/shop/tasks/a.md': task('aaaaaa', status),
  'rooms/shop/tasks/b.md': task('bbbbbb', status),
})
const question = (id: string, kind = 'question') =>
  `---\nkind: ${kind}\nreason: Which?\nneo: { id: ${id}, created_at: 2026-03-01T09:00:00Z }\n---\nWhich?\n\n## Answer\n`

const statuses = ({ home }: HubHome) => ['a', 'b'].map((name) => home.status(name))

/** Of two tasks the named one moves. */
function moves(method: MethodName, to: TaskStatus): Proof {
  return async (home) => {
    const [before] = statuses(home)
    await home.hub.call({ kind: 'human' }, method, { taskId: 'shop/b' })
    expect(statuses(home)).toEqual([before, to])
  }
}

/** The words that go with it stand in the block; without them none do. */
function says(method: 'task.complete' | 'task.fail', key: 'result' | 'error'): Proof {
  return async ({ call, home }) => {
    await call(method, { taskId: 'shop/a' })
    expect(home.text('a')).not.toContain(`${key}:`)
    await call(method, { taskId: 'shop/a', [key]: 'Told so' })
    expect(home.text('a')).toContain(`${key}: Told so`)
  }
}

/** Of two rooms the named one is given back, and is so. */
function room(method: 'room.pause' | 'room.resume' | 'room.archive', status: string, from: string): Effects {
  return effects(
    method,
    { 'rooms/web/ROOM.md': `---\nname: Web\nstatus: ${from}\n---\n` },
    {
      roomId: async ({ call }) => {
        const before = (await call('room.get', { roomId: 'shop' })).status
        await call(method, { roomId: 'web' })
        const now = ['shop', 'web'].map(async (roomId) => (await call('room.get', { roomId })).status)
        expect(await Promise.all(now)).toEqual([before, status])
      },
    },
  )
}

async function reviewed(home: HubHome): Promise<void> {
  if (home.home.status('a') !== 'pending') return
  await home.home.run()
  await until(() => statuses(home).every((status) => status === 'review'))
}

const REVIEWS: Files = Object.fromEntries(
  ['a', 'b'].map((name) => [
    `rooms/shop/tasks/${name}.md`,
    runbook([`echo ${name} > ${name}.txt`], ['review: branch']),
  ]),
)

export const ACTS: readonly Effects[] = [
  room('room.pause', 'paused', 'active'),
  room('room.resume', 'active', 'paused'),
  room('room.archive', 'archived', 'active'),
  effects('room.get', WEB, {
    roomId: async ({ call }) => expect((await call('room.get', { roomId: 'web' })).name).toBe('Web'),
  }),
  effects('room.overview', pair('pending'), {
    roomId: async ({ call }) => {
      const counts = ['shop', 'web'].map(
        async (roomId) => (await call('room.overview', { roomId })).tasks.pending?.length,
      )
      expect(await Promise.all(counts)).toEqual([2, undefined])
    },
  }),
  effects('room.assignSession', sessions('completed'), {
    sessionId: async ({ call, home }) => {
      await call('room.assignSession', { sessionId: 's-bbbbbb', roomId: 'web' })
      expect(home.has('rooms/shop/sessions/s-aaaaaa.md')).toBe(true)
    },
    roomId: ({ home }) => expect(home.has('rooms/web/sessions/s-bbbbbb.md')).toBe(true),
  }),
  effects('room.unassignSession', sessions('completed'), {
    sessionId: async ({ call, home }) => {
      await call('room.unassignSession', { sessionId: 's-bbbbbb' })
      const there = ['shop/sessions/s-aaaaaa', 'lobby/sessions/s-bbbbbb'].map((path) =>
        home.has(`rooms/${path}.md`),
      )
      expect(there).toEqual([true, true])
    },
  }),
  effects('task.get', pair('draft'), {
    taskId: async ({ call }) => expect((await call('task.get', { taskId: 't-bbbbbb' })).name).toBe('b'),
  }),
  effects('task.story', pair('draft'), {
    taskId: async ({ call }) => {
      const { items } = await call('task.story', { taskId: 't-bbbbbb' })
      expect(items[0]?.kind).toBe('created')
    },
    limit: async ({ call }) => {
      const one = async (limit: number) =>
        (await call('task.story', { taskId: 't-bbbbbb', limit })).items.length
      await call('task.update', { taskId: 't-bbbbbb', updates: { priority: 'low' } })
      await call('task.update', { taskId: 't-bbbbbb', updates: { priority: 'high' } })
      expect([await one(1), await one(100)]).toEqual([1, 4])
    },
  }),
  effects('commit.get', pair('draft'), {
    taskId: async ({ call, home, refusal }) => {
      await call('task.update', { taskId: 't-bbbbbb', updates: { priority: 'low' } })
      const commit = home.git('rev-parse', 'HEAD').trim()
      expect((await call('commit.get', { taskId: 't-bbbbbb', commit })).diff).toContain('+priority: low')
      expect(await refusal('commit.get', { taskId: 't-aaaaaa', commit })).toMatchObject({ code: -32002 })
    },
    commit: async ({ refusal }) =>
      expect(await refusal('commit.get', { taskId: 't-bbbbbb', commit: 'a'.repeat(40) })).toMatchObject({
        code: -32002,
      }),
  }),
  effects('task.delete', pair('draft'), {
    taskId: async ({ call, home }) => {
      await call('task.delete', { taskId: 'shop/b' })
      expect(['a', 'b'].map((name) => home.has(`rooms/shop/tasks/${name}.md`))).toEqual([true, false])
    },
  }),
  effects('task.retry', pair('failed'), { taskId: moves('task.retry', 'pending') }),
  effects('task.cancel', pair('pending'), { taskId: moves('task.cancel', 'cancelled') }),
  effects('task.start', pair('draft'), {
    taskId: moves('task.start', 'pending'),
    sessionId: async (home) => {
      const [one, two] = [await opened(home, {}), await opened(home, {})]
      await home.call('task.start', { taskId: 'shop/a', sessionId: two })
      expect([seat(home, one)?.task, seat(home, two)?.task]).toEqual([null, 't-aaaaaa'])
    },
  }),
  effects('task.complete', pair('pending'), {
    taskId: moves('task.complete', 'completed'),
    result: says('task.complete', 'result'),
  }),
  effects('task.fail', pair('pending'), {
    taskId: moves('task.fail', 'failed'),
    error: says('task.fail', 'error'),
  }),
  effects(
    'ask.decide',
    Object.fromEntries(['a-aaaaaa', 'a-bbbbbb'].map((id) => [`rooms/shop/asks/${id}.md`, question(id)])),
    {
      askId: async ({ call, home }) => {
        await call('ask.decide', { askId: 'a-bbbbbb', decision: 'answered', answer: 'The second' })
        expect(home.read('rooms/shop/asks/a-aaaaaa.md')).not.toContain('decided_by')
      },
      decision: async ({ refusal, home }) => {
        expect(home.read('rooms/shop/asks/a-bbbbbb.md')).toContain('decided_by: Person')
        expect(await refusal('ask.decide', { askId: 'a-aaaaaa', decision: 'approved' })).toMatchObject({
          code: -32602,
        })
      },
      answer: ({ home }) => expect(home.read('rooms/shop/asks/a-bbbbbb.md')).toContain('The second'),
    },
  ),
  effects('review.diff', REVIEWS, {
    taskId: async (home) => {
      await reviewed(home)
      expect((await home.call('review.diff', { taskId: 'shop/b' })).paths).toEqual(['workspace/files/b.txt'])
    },
    since: async (home) => {
      await reviewed(home)
      const all = await home.call('review.diff', { taskId: 'shop/b' })
      const none = await home.call('review.diff', { taskId: 'shop/b', since: all.head })
      const base = home.home.git('rev-parse', 'main')
      const other = await home.call('review.diff', { taskId: 'shop/b', since: base })
      expect([none.diff, none.since, other.diff, other.since]).toEqual(['', all.head, all.diff, null])
    },
  }),
  effects('review.accept', REVIEWS, {
    taskId: async (home) => {
      await reviewed(home)
      await home.call('review.accept', { taskId: 'shop/b' })
      expect(statuses(home)).toEqual(['review', 'completed'])
    },
  }),
  effects('review.reject', REVIEWS, {
    taskId: async (home) => {
      await reviewed(home)
      await home.call('review.reject', { taskId: 'shop/b' })
      expect(statuses(home)).toEqual(['review', 'failed'])
    },
    message: async ({ call, home }) => {
      await call('review.reject', { taskId: 'shop/a', message: 'Once more' })
      expect([home.status('a'), home.text('a').includes('> Once more')]).toEqual(['pending', true])
    },
  }),
  effects(
    'schedule.delete',
    { ...WEB, ...plans() },
    {
      roomId: async ({ call, home }) => {
        await call('schedule.delete', { roomId: 'web', name: 'two' })
        expect([home.has('rooms/shop/schedules/two.md'), home.has('rooms/web/schedules/two.md')]).toEqual([
          true,
          false,
        ])
      },
      name: ({ home }) => expect(home.has('rooms/web/schedules/one.md')).toBe(true),
    },
  ),
  effects(
    'schedule.run',
    { ...WEB, ...plans() },
    {
      roomId: async ({ call }) =>
        expect((await call('schedule.run', { roomId: 'web', name: 'two' })).path).toMatch(/^rooms\/web\//),
      name: async ({ call, home }) => {
        const { path } = await call('schedule.run', { roomId: 'shop', name: 'two' })
        expect(home.read(path)).toContain('Do two of shop')
      },
    },
  ),
]

function plans(): Files {
  const all = ['shop', 'web'].flatMap((of) => ['one', 'two'].map((name) => [of, name] as const))
  return Object.fromEntries(
    all.map(([of, name]) => [
      `rooms/${of}/schedules/${name}.md`,
      `---\ncron: 0 9 1 1 *\n---\nDo ${name} of ${of}\n`,
    ]),
  )
}
