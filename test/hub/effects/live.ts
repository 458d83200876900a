/**
 * Effects of the parameters that name whom a call is about: sessions, conversations of Neo, memories, people.
 * Takes nothing; gives rows. Leaves to act.ts: tasks, rooms, asks, reviews, schedules.
 */
import { expect } from 'vitest'
import { openIdleSessions } from '../../../src/engine/agents/idle-sessions.ts'
import type { ParamsOf } from '../../../src/hub/method-table.ts'
import { BRIEF, record } from '../../builders.ts'
import { runbook, until } from '../../path/home.ts'
import { type HubHome, turning } from '../hub-home.ts'
import { type Effects, effects, type Files } from './effect.ts'

const WEB = { 'rooms/web/ROOM.md': '---\nname: Web\n---\n' }
export const sessions = (status: string): Files => ({
  ...WEB,
  ...Object.fromEntries(
    ['aaaaaa', 'bbbbbb'].map((id) => [
      `rooms/shop/sessions/s-${id}.md`,
      `---\nid: s-${id}\ntask: t-${id}\nworker: agent\nstatus: ${status}\n---\n`,
    ]),
  ),
})
interface Said {
  readonly room: string
  readonly text: string
}

/** A Neo of each room that takes down what he is told. */
function listens({ hub }: HubHome): Said[] {
  const heard: Said[] = []
  const note = (text: string) => async (room: string) => void heard.push({ room, text })
  hub.attach({
    say: async (room, text) => void heard.push({ room, text }),
    context: (room) => ({
      messages: [],
      totalTokens: room.length,
      lastCompactedAt: null,
      status: 'idle',
      currentTaskId: null,
      currentSessionId: null,
    }),
    compact: note('compact'),
    clear: note('clear'),
    stop: (room) => (room === 'web' ? 'stopped' : 'idle'),
  })
  return heard
}

/** The Neo of the named room is the one. */
function tells(method: 'context.compact' | 'context.clear', word: string): Effects {
  return effects(method, WEB, {
    roomId: async (home) => {
      const heard = listens(home)
      await home.call(method, { roomId: 'web' })
      expect(heard).toEqual([{ room: 'web', text: word }])
    },
  })
}

/** A session whose runner is not in this process. */
async function dormant({ context }: HubHome, id: string): Promise<void> {
  const plain = record(id, id.slice(2), { taskId: `t-${id.slice(2)}` })
  await context.sessions.create({ ...plain, agent: BRIEF })
}

/** Three entries of each of the two sessions. */
function transcripts(): Files {
  return Object.fromEntries(
    ['a', 'b'].map((name) => [
      `rooms/shop/transcripts/s-${name.repeat(6)}.jsonl`,
      [1, 2, 3]
        .map((at) => `{"v":1,"id":"${name}${at}","ts":"2026-03-01T09:00:0${at}Z","type":"user"}\n`)
        .join(''),
    ]),
  )
}

export const seat = ({ context }: HubHome, id: string) => openIdleSessions(context).get(id)

export async function opened(home: HubHome, given: Partial<ParamsOf<'session.create'>>): Promise<string> {
  return (await home.call('session.create', { roomId: 'shop', ...given })).sessionId
}

const mailOf = ({ home }: HubHome, id: string) => {
  const path = `.git/neo/sessions/${id}/mail.jsonl`
  return home.has(path) ? home.read(path) : ''
}

export const LIVE: readonly Effects[] = [
  effects(
    'memory.distill',
    { ...WEB, 'rooms/old/ROOM.md': '---\nname: Old\n---\n' },
    {
      roomId: async ({ call }) => {
        expect((await call('memory.distill', { roomId: 'web' })).map((report) => report.room)).toEqual([
          'web',
        ])
        expect((await call('memory.distill', {})).length).toBeGreaterThan(1)
      },
    },
  ),
  effects(
    'memory.restore',
    {},
    {
      path: async ({ call, home }) => {
        const add = (content: string) => call('memory.add', { roomId: 'shop', type: 'note', content })
        const [one, two] = [await add('One'), await add('Two')]
        for (const { id } of [one, two]) await call('memory.delete', { memoryId: id })
        await call('memory.restore', { path: two.path })
        expect([home.has(one.path), home.has(two.path)]).toEqual([false, true])
      },
      commit: async ({ call, home }) => {
        const path = 'rooms/shop/memories/x.md'
        const commits = ['First', 'Second', 'Third'].map((text) => {
          home.write(path, `---\ntype: note\n---\n${text}\n`)
          home.git('add', '-A')
          home.git('commit', '-q', '-m', text)
          return home.git('rev-parse', 'HEAD')
        })
        await call('memory.restore', { path, commit: commits[0] ?? '' })
        expect(home.read(path)).toContain('First')
      },
    },
  ),
  effects('session.get', sessions('completed'), {
    sessionId: async ({ call }) =>
      expect((await call('session.get', { sessionId: 's-bbbbbb' })).taskId).toBe('t-bbbbbb'),
  }),
  effects(
    'session.transcript',
    { ...sessions('completed'), ...transcripts() },
    {
      sessionId: async ({ call }) => {
        const { entries } = await call('session.transcript', { sessionId: 's-bbbbbb' })
        expect(entries.map(({ id }) => id)).toEqual(['b1', 'b2', 'b3'])
      },
      limit: async ({ call }) => {
        const { entries } = await call('session.transcript', { sessionId: 's-bbbbbb', limit: 2 })
        expect(entries.map(({ id }) => id)).toEqual(['b2', 'b3'])
      },
      cursor: async ({ call }) => {
        const { cursor } = await call('session.transcript', { sessionId: 's-bbbbbb', limit: 2 })
        const before = await call('session.transcript', { sessionId: 's-bbbbbb', cursor: cursor ?? '' })
        expect([before.entries.map(({ id }) => id), before.cursor]).toEqual([['b1'], null])
      },
    },
  ),
  effects(
    'session.create',
    { ...WEB, 'rooms/shop/tasks/a.md': runbook(['true'], ['status: draft']) },
    {
      roomId: async (home) => expect(seat(home, await opened(home, { roomId: 'web' }))?.room).toBe('web'),
      worker: async (home) =>
        expect(seat(home, await opened(home, { worker: 'shell' }))?.worker).toBe('shell'),
      model: async (home) => expect(seat(home, await opened(home, { model: 'x/y' }))?.model).toBe('x/y'),
      workspacePath: async (home) =>
        expect(seat(home, await opened(home, { workspacePath: 'workspace/files' }))?.workspace).toBe(
          'workspace/files',
        ),
      taskId: async (home) => {
        await turning(home)
        const id = await opened(home, { taskId: 'shop/a' })
        expect([seat(home, id), home.home.text('a').includes(`session: ${id}`)]).toEqual([null, true])
        await until(() => home.home.status('a') === 'completed')
      },
    },
  ),
  effects('session.stop', WEB, {
    sessionId: async (home) => {
      const [one, two] = [await opened(home, {}), await opened(home, {})]
      await home.call('session.stop', { sessionId: two })
      expect([seat(home, one) !== null, seat(home, two)]).toEqual([true, null])
    },
  }),
  effects('session.resume', sessions('running'), {
    sessionId: async (home) => {
      for (const id of ['s-aaaaaa', 's-bbbbbb']) await dormant(home, id)
      const { sessions: all } = home.context
      const picked: string[] = []
      Object.assign(all, { run: (id: string) => void picked.push(id) })
      home.hub.changed((await home.context.look.look('all')).snapshot)
      await home.call('session.resume', { sessionId: 's-bbbbbb' })
      expect(picked).toEqual(['s-bbbbbb'])
    },
  }),
  effects('message.send', sessions('running'), {
    roomId: async (home) => {
      const heard = listens(home)
      await home.call('message.send', { roomId: 'web', content: 'Hi' })
      expect(heard.map((one) => one.room)).toEqual(['web'])
    },
    sessionId: async (home) => {
      for (const id of ['s-aaaaaa', 's-bbbbbb']) await dormant(home, id)
      await home.call('message.send', { sessionId: 's-bbbbbb', content: 'Hurry' })
      expect([mailOf(home, 's-aaaaaa'), mailOf(home, 's-bbbbbb') !== '']).toEqual(['', true])
    },
    content: (home) => expect(mailOf(home, 's-bbbbbb')).toContain('Hurry'),
    files: async (home) => {
      const heard = listens(home)
      const { id } = await home.call('chat.attach', { roomId: 'web', name: 'a.txt', base64: 'aGVsbG8=' })
      await home.call('message.send', { roomId: 'web', content: 'Read it', files: [id] })
      expect(heard[0]?.text).toContain(`(neo-file:${id})`)
    },
  }),
  effects('context.get', WEB, {
    roomId: async (home) => {
      listens(home)
      expect((await home.call('context.get', { roomId: 'web' })).totalTokens).toBe('web'.length)
    },
  }),
  tells('context.compact', 'compact'),
  tells('context.clear', 'clear'),
  effects('context.stop', WEB, {
    roomId: async (home) => {
      listens(home)
      const stopped = ['shop', 'web'].map(
        async (roomId) => (await home.call('context.stop', { roomId })).stopped,
      )
      expect(await Promise.all(stopped)).toEqual([false, true])
    },
  }),
]
