/**
 * Effects of the parameters that become lines of files: of tasks, rooms, schedules, templates, memories, people and
 * neo.yaml. Takes nothing; gives rows. Each line is there with the parameter, and not without it.
 */
import { expect } from 'vitest'
import type { ParamsOf } from '../../../src/hub/method-table.ts'
import type { HubHome } from '../hub-home.ts'
import { type Effects, effects, fixed, inUpdates, type Said, written } from './effect.ts'
import { ROOM, TASK } from './fields.ts'

const FIXED = ['id', 'roomId', 'sessionIds', 'neo']
const ROOMS = { 'rooms/web/ROOM.md': '---\nname: Web\nworker: human\n---\n' }
/** Whom fields.ts names. */
const PEOPLE = {
  ...ROOMS,
  'workspace/members/ana.md': '---\nname: Ana\n---\n',
  'workspace/agents/reviewer.md': '---\nname: reviewer\ndescription: Reads changes\n---\nBe strict.\n',
}

async function created({ call, home }: HubHome, given: object): Promise<string> {
  const params = { roomId: 'shop', title: 'Some', description: 'Text', ...given }
  const { path } = await call('task.create', params as ParamsOf<'task.create'>)
  return `${path}\n${home.read(path)}`
}

async function updatedTask({ call, home }: HubHome, updates: object): Promise<string> {
  const { path } = await call('task.create', { roomId: 'shop', title: 'Some', description: 'Text' })
  await call('task.update', { taskId: path, updates } as ParamsOf<'task.update'>)
  return home.read(path)
}

function pick(of: Readonly<Record<string, Said>>, names: readonly string[]): Record<string, Said> {
  return Object.fromEntries(Object.entries(of).filter(([name]) => names.includes(name)))
}

let rooms = 0

async function createdRoom({ call, home }: HubHome, given: object): Promise<string> {
  const { id } = await call('room.create', { name: `room-${++rooms}`, ...given })
  return `${id}\n${home.read(`rooms/${id}/ROOM.md`)}`
}

async function updatedRoom(home: HubHome, updates: object): Promise<string> {
  const id = (await createdRoom(home, {})).split('\n')[0] ?? ''
  await home.call('room.update', { roomId: id, updates })
  return home.home.read(`rooms/${id}/ROOM.md`)
}

async function configured({ call, home }: HubHome, updates: object): Promise<string> {
  await call('config.set', { updates } as ParamsOf<'config.set'>)
  return home.read('neo.yaml')
}

async function planned({ call, home }: HubHome, given: object): Promise<string> {
  const when = 'every' in given || 'at' in given ? {} : { cron: '0 9 * * *' }
  const { path } = await call('schedule.create', {
    roomId: 'shop',
    name: 'Plan',
    content: 'Do',
    ...when,
    ...given,
  })
  return `${path}\n${home.read(path)}`
}

async function changedPlan({ call, home }: HubHome, updates: object): Promise<string> {
  const { path, name } = await call('schedule.create', {
    roomId: 'shop',
    name: 'Plan',
    content: 'Do',
    cron: '0 9 * * *',
  })
  const instead = 'every' in updates || 'at' in updates ? { cron: null } : {}
  await call('schedule.update', { roomId: 'shop', name, updates: { ...instead, ...updates } })
  return home.read(path)
}

const TEMPLATE = {
  ...ROOMS,
  'templates/tasks/form.md':
    '---\ntitle: A {{what}}\nworker: human\nparams:\n  what: { type: string, default: form }\n---\nOf {{what}}.\n',
  'templates/tasks/else.md': '---\ntitle: Else\nworker: human\n---\nElse.\n',
}

async function ran({ call, home }: HubHome, given: object): Promise<string> {
  const { path } = await call('template.run', { roomId: 'shop', name: 'form', ...given })
  return `${path}\n${home.read(path)}`
}

async function kept({ call, home }: HubHome, given: object): Promise<string> {
  const params = { roomId: 'shop', type: 'note', content: 'It is so', ...given }
  const { path } = await call('memory.add', params as ParamsOf<'memory.add'>)
  return `${path}\n${home.read(path)}`
}

let people = 0

async function added({ call, home }: HubHome, given: object): Promise<string> {
  const { id } = await call('member.add', { memberId: `m-${++people}`, ...given })
  return `${id}\n${home.read(`workspace/members/${id}.md`)}`
}

export const WRITES: readonly Effects[] = [
  effects('task.create', PEOPLE, {
    roomId: async (home) => expect(await created(home, { roomId: 'web' })).toMatch(/^rooms\/web\/tasks\//),
    status: async (home) => expect(await created(home, { status: 'draft' })).toMatch(/^status: draft$/m),
    ...written(TASK, created),
  }),
  effects(
    'task.update',
    { ...PEOPLE, 'rooms/shop/tasks/old.md': '---\nstatus: draft\n---\n# Old\n' },
    {
      taskId: async ({ call }) => {
        const make = (title: string) => call('task.create', { roomId: 'shop', title, description: '' })
        const [one, two] = [await make('One'), await make('Two')]
        await call('task.update', { taskId: two.path, updates: { title: 'Three' } })
        const titles = [one, two].map(async ({ path }) => (await call('task.get', { taskId: path })).title)
        expect(await Promise.all(titles)).toEqual(['One', 'Three'])
      },
      ...inUpdates({
        ...written({ ...TASK, status: { value: 'blocked', says: /^status: blocked$/m } }, updatedTask),
        unset: async ({ call, home }) => {
          home.write('rooms/shop/tasks/own.md', '---\ntitle: Own\nowner: ana\ndue: 2026-03-05\n---\nText\n')
          await call('task.update', { taskId: 'own', updates: { unset: ['owner', 'due'] } })
          expect(home.read('rooms/shop/tasks/own.md')).toMatch(/^---\ntitle: Own\nneo:/)
        },
        ...fixed('task.update', { taskId: 'old' }, FIXED),
      }),
    },
  ),
  effects(
    'room.create',
    { 'templates/rooms/desk/ROOM.md': '---\nname: desk\nkeep: 4\n---\nTidy.\n' },
    {
      name: async (home) => {
        await home.call('room.create', { name: 'named' })
        expect(home.home.read('rooms/named/ROOM.md')).toMatch(/^name: named$/m)
      },
      ...written(
        {
          ...pick(ROOM, ['description', 'defaultWorkspace', 'defaultModel', 'worker', 'instructions']),
          template: { value: 'desk', says: /^keep: 4$/m },
        },
        createdRoom,
      ),
    },
  ),
  effects('room.update', PEOPLE, {
    roomId: async ({ call, home }) => {
      await call('room.update', { roomId: 'web', updates: { keep: 2 } })
      const keeps = ['shop', 'web'].map((room) => home.read(`rooms/${room}/ROOM.md`).includes('keep: 2'))
      expect(keeps).toEqual([false, true])
    },
    ...inUpdates({ ...written(ROOM, updatedRoom), ...fixed('room.update', { roomId: 'shop' }, FIXED) }),
  }),
  effects(
    'config.set',
    {},
    inUpdates(
      written(
        {
          timezone: { value: 'Europe/Berlin', says: /^timezone: Europe\/Berlin$/m },
          model: { value: 'x/y', says: /^model: x\/y$/m },
          transcripts: { value: 'local', says: /^transcripts: local$/m },
          'daemon.branch': { value: 'main', says: /branch: main/ },
          'daemon.node': { value: 'here', says: /node: here/ },
          'daemon.settleMs': { value: 1500, says: /settle: "?1500ms|settle: 1\.5s/ },
          'daemon.rescanMs': { value: 7000, says: /rescan: (7s|7000ms)/ },
          'daemon.concurrency': { value: 5, says: /concurrency: 5/ },
          'daemon.workspaces': { value: ['../w'], says: /workspaces: *\[?[\s\S]*\.\.\/w/ },
          'budget.usdPerDay': { value: 3, says: /usd_per_day: 3/ },
          'budget.tokensPerDay': { value: 31, says: /tokens_per_day: 31/ },
          logLevel: { value: 'debug', says: /level: debug/ },
        },
        configured,
      ),
    ),
  ),
  effects('schedule.create', ROOMS, {
    roomId: async (home) =>
      expect(await planned(home, { roomId: 'web' })).toMatch(/^rooms\/web\/schedules\//),
    ...written(
      {
        name: { value: 'Weekly look', says: /^rooms\/shop\/schedules\/weekly-look/ },
        content: { value: 'Look', says: /\n---\nLook\n$/ },
        kind: { value: 'message', says: /^kind: message$/m },
        cron: { value: '5 5 * * *', says: /^cron: "?5 5 \* \* \*"?$/m },
        every: { value: '2h', says: /^every: 2h$/m },
        at: { value: '2030-01-01T09:00', says: /^at: "?2030-01-01T09:00/m },
        timezone: { value: 'Asia/Tokyo', says: /^timezone: Asia\/Tokyo$/m },
      },
      planned,
    ),
  }),
  effects('schedule.update', ROOMS, {
    roomId: async ({ refusal }) => {
      const of = { name: 'nothing', updates: {} }
      expect(await refusal('schedule.update', { ...of, roomId: 'nowhere' })).toMatchObject({
        message: 'Cannot find the room "nowhere"',
      })
    },
    name: async ({ call }) => {
      const make = () => call('schedule.create', { roomId: 'shop', name: 'Same', content: 'Do', every: '1h' })
      const [one, two] = [await make(), await make()]
      await call('schedule.update', { roomId: 'shop', name: two.name, updates: { status: 'paused' } })
      const all = await call('schedule.list', { roomId: 'shop' })
      const status = (name: string) => all.find((found) => found.name === name)?.status
      expect([status(one.name), status(two.name)]).toEqual(['active', 'paused'])
    },
    ...inUpdates(
      written(
        {
          content: { value: 'Look', says: /\n---\nLook\n$/ },
          status: { value: 'paused', says: /^status: paused$/m },
          cron: { value: '5 5 * * *', says: /^cron: "?5 5 \* \* \*"?$/m },
          every: { value: '3h', says: /^every: 3h$/m },
          at: { value: '2030-01-01T09:00', says: /^at: "?2030-01-01T09:00/m },
          timezone: { value: 'Asia/Tokyo', says: /^timezone: Asia\/Tokyo$/m },
          catchUp: { value: 'all', says: /^catch_up: all$/m },
          overlap: { value: 'queue', says: /^overlap: queue$/m },
        },
        (home, given) => changedPlan(home, given),
      ),
    ),
  }),
  effects('template.run', TEMPLATE, {
    roomId: async (home) => expect(await ran(home, { roomId: 'web' })).toMatch(/^rooms\/web\/tasks\//),
    name: async (home) => expect(await ran(home, { name: 'else' })).toMatch(/^title: Else$/m),
    params: async (home) =>
      expect(await ran(home, { params: { what: 'thing' } })).toMatch(/A thing[\s\S]*Of thing\./),
    ...written(
      {
        status: { value: 'draft', says: /^status: draft$/m },
        title: { value: 'Mine', says: /^title: Mine$/m },
        priority: { value: 'low', says: /^priority: low$/m },
        worker: { value: 'agent', says: /^worker: agent$/m },
        dependsOn: { value: ['zzz'], says: /^depends_on: \[zzz\]$/m },
        labels: { value: ['red'], says: /^labels: \[red\]$/m },
      },
      ran,
    ),
  }),
  effects('memory.add', ROOMS, {
    roomId: async (home) => expect(await kept(home, { roomId: 'web' })).toMatch(/^rooms\/web\/memories\//),
    ...written(
      {
        type: { value: 'pattern', says: /^type: pattern$/m },
        content: { value: 'Not so', says: /Not so/ },
        tags: { value: ['red'], says: /^tags: \[red\]$/m },
        importance: { value: 'high', says: /^importance: high$/m },
        sessionId: { value: 's-aaaaaa', says: /session: s-aaaaaa/ },
        taskId: { value: 't-aaaaaa', says: /task: t-aaaaaa/ },
      },
      kept,
    ),
  }),
  effects('member.add', ROOMS, {
    memberId: async ({ call, home }) => {
      await call('member.add', { memberId: 'kim' })
      expect(home.has('workspace/members/kim.md')).toBe(true)
    },
    ...written(
      {
        name: { value: 'Kim', says: /^name: Kim$/m },
        role: { value: 'child', says: /^role: child$/m },
        rooms: { value: ['web'], says: /rooms: \[web\]/ },
      },
      added,
    ),
  }),
]
