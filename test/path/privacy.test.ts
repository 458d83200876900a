/**
 * Private stays private: a marker is told in each of twenty private scopes, and every place that somebody else could look
 * into is searched for it: contexts of others, answers of the hub, events, notices, audit, status, `.neo/`, git, an export.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import type { Principal } from '../../src/domain/policy/policy-acts.ts'
import { said, type Taker, taker, type Wired, wire } from '../channels/bus-home.ts'
import { neo, temporary } from '../cli/program.ts'
import { type Home, makeHome, until } from './home.ts'
import { type Asked, startModel } from './model.ts'

const DMS = 10
const GROUPS = 10
const ROOM = '---\nname: Shop\norchestrator: auto\n---\nBe brief.\n'

interface Place {
  readonly scope: string
  readonly chatId: string
  readonly member: string
  readonly marker: string
}

const markerOf = (n: number) => `qzmark${String(n).padStart(2, '0')}x`
const PLACES: readonly Place[] = [
  ...Array.from({ length: DMS }, (_, n) => ({
    scope: `test-${100 + n}`,
    chatId: String(100 + n),
    member: `p${n}`,
    marker: markerOf(n),
  })),
  ...Array.from({ length: GROUPS }, (_, n) => ({
    scope: `g${n}`,
    chatId: String(900 + n),
    member: `p${n}`,
    marker: markerOf(DMS + n),
  })),
]

function files(config: string): Record<string, string> {
  const members = PLACES.slice(0, DMS).map(({ chatId, member }, n): [string, string] => [
    `workspace/members/${member}.md`,
    `---\nrole: ${n % 2 === 0 ? 'parent' : 'guest'}\nchannels: { test: "${chatId}" }\npermissions: { rooms: [shop] }\n---\n`,
  ])
  const groups = PLACES.slice(DMS).map(({ scope, chatId, member }): [string, string] => [
    `workspace/scopes/${scope}/SCOPE.md`,
    `---\ntype: group\nchannel: "test:${chatId}"\nmembers: [${member}]\n---\n`,
  ])
  return {
    'neo.yaml': `${config}memory: { distill_every: 4 }\n`,
    'rooms/shop/ROOM.md': ROOM,
    ...Object.fromEntries([...members, ...groups]),
  }
}

/** Repeats what it hears, keeps it, fails now and then, and makes a task that says nothing of it. */
function script({ last, turn }: Asked) {
  const marker = /qzmark\d\dx/.exec(last)?.[0] ?? 'nothing'
  if (last.includes('Saved,') || last.includes('Created ') || last.includes('Not done'))
    return `It is done, ${marker}.`
  if (last.includes('keep it'))
    return {
      calls: [{ name: 'add_memory', input: { type: 'note', content: `What was told is ${marker}` } }],
      text: `I keep ${marker}.`,
    }
  if (last.includes('a task'))
    return {
      calls: [
        {
          name: 'create_task',
          input: { title: `Water the plants ${turn}`, description: 'All of them.', worker: 'human' },
        },
      ],
    }
  return `You said ${marker}.`
}

const WORDS = (marker: string) => [
  `My nickname is ${marker}`,
  `remember that ${marker} is under the stone, keep it`,
  `The word ${marker} again, and a task for it`,
]

async function tellAll(daemon: Wired, channel: Taker, round: number): Promise<void> {
  const texts = PLACES.flatMap((place, p) =>
    (round === 0 ? WORDS(place.marker) : ['What do you know of me']).map((content, n) => ({
      place,
      content,
      n: round * 1_000 + p * 10 + n,
    })),
  )
  for (const { place, content, n } of texts) {
    const speaker = `member:${place.member}` as const
    const { chatId, scope } = place
    daemon.queues().accept(
      said(n, {
        chatId,
        scope,
        senderId: `1${place.member.slice(1).padStart(2, '0')}`,
        speaker,
        target: speaker,
        content,
      }),
    )
  }
  await until(() => daemon.queues().counts().inbound === 0, 120_000)
  await until(
    () =>
      texts.every(({ place, n }) =>
        channel.sent.some(({ key }) => key === `reply:test:${place.chatId}:${n}`),
      ),
    20_000,
  )
}

const MARKER = /qzmark\d\dx/g

/** Every file below a folder, but what belongs to the scope of a marker: markers by the file that holds them. */
function strays(dir: string): readonly string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const path = relative(dir, join(entry.parentPath, entry.name))
    if (!entry.isFile() || /^\.git\/neo\/queues\/(?:in|out)bound\.jsonl$/.test(path)) return []
    const held = new Set(readFileSync(join(dir, path), 'latin1').match(MARKER) ?? [])
    return [...held]
      .filter((marker) => !path.startsWith(`.git/neo/scopes/${ownerOf(marker)}/`))
      .map((marker) => `${marker} in ${path}`)
  })
}

/** An export without the flag, and the home that is made of it. */
async function exported(home: Home): Promise<string> {
  const dir = temporary()
  const file = join(dir, 'home.neo')
  expect((await neo(['export', file, '--home', home.dir])).code).toBe(0)
  expect((await neo(['import', file, join(dir, 'again')])).code).toBe(0)
  return join(dir, 'again')
}

function ownerOf(marker: string): string {
  return PLACES.find((place) => place.marker === marker)?.scope ?? ''
}

function objects(home: Home): string {
  return execFileSync('git', ['cat-file', '--batch-all-objects', '--batch', '--buffer'], {
    cwd: home.dir,
    maxBuffer: 1 << 28,
  }).toString('latin1')
}

/** What the hub tells this principal, in everything that it may ask. */
async function told(daemon: Wired, principal: Principal): Promise<string> {
  const calls: readonly (readonly [string, object])[] = [
    ...PLACES.map(({ marker }) => ['memory.search', { query: marker, limit: 50 }] as const),
    ['memory.search', { query: 'nickname stone told', limit: 50 }],
    ...PLACES.map(
      ({ scope }) => ['memory.search', { query: 'nickname stone told', scopeId: scope }] as const,
    ),
    ...['lobby', 'shop'].flatMap((roomId) => [
      ['context.get', { roomId }] as const,
      ['room.overview', { roomId }] as const,
      ['memory.list', { roomId }] as const,
      ['audit.timeline', { roomId }] as const,
      ['task.list', { roomId }] as const,
    ]),
    ['status.global', {}],
    ['scope.list', {}],
    ['policy.status', {}],
    ['plan.get', {}],
    ['usage.summary', {}],
    ['audit.timeline', {}],
    ['ask.list', {}],
    ['session.list', {}],
  ]
  const answers: string[] = []
  for (const [method, params] of calls)
    answers.push(
      JSON.stringify(
        await daemon
          .hub()
          .call(principal, method, params)
          .catch(({ message }) => message),
      ),
    )
  return answers.join('\n')
}

function markersIn(text: string): readonly string[] {
  return [...new Set(text.match(MARKER) ?? [])].toSorted()
}

test('markers of twenty private scopes are found in no place but their own', async () => {
  const model = await startModel(script)
  const home = makeHome(files(model.config))
  const daemon = wire(home)
  await daemon.ready()
  const channel = taker()
  daemon.queues().attach(channel, async () => {})
  await until(() => daemon.queues().seen() !== null)
  await tellAll(daemon, channel, 0)
  for (const { scope } of PLACES)
    await daemon.hub().call({ kind: 'human' }, 'scope.renew', { scopeId: scope })
  await tellAll(daemon, channel, 1)

  // Contexts that the model was shown: each holds the marker of its own scope at most, and does hold it.
  expect(model.asked.filter(({ text }) => markersIn(text).length > 1)).toEqual([])
  expect(new Set(model.asked.flatMap(({ text }) => markersIn(text))).size).toBe(PLACES.length)
  const later = model.asked.filter(({ last }) => last.includes('What do you know of me'))
  expect(later.map(({ text }) => markersIn(text).length)).toEqual(PLACES.map(() => 1))

  // What was sent, went where it belongs.
  const astray = channel.sent.filter(({ content, chatId }) =>
    markersIn(content).some((marker) => PLACES.find((place) => place.marker === marker)?.chatId !== chatId),
  )
  expect(astray).toEqual([])

  // The hub, to the person, to each member, to Neo of rooms, to a session.
  expect(markersIn(await told(daemon, { kind: 'neo', room: 'lobby' }))).toEqual([])
  expect(markersIn(await told(daemon, { kind: 'session', id: 's-1', room: 'shop' }))).toEqual([])
  for (const { member } of PLACES.slice(0, 3)) {
    const own = PLACES.filter((place) => place.member === member).map(({ marker }) => marker)
    expect(
      markersIn(await told(daemon, { kind: 'member', id: member })).filter((marker) => !own.includes(marker)),
    ).toEqual([])
  }
  const groups = PLACES.slice(DMS).map(({ marker }) => marker)
  expect(
    markersIn(await told(daemon, { kind: 'human' })).filter((marker) => !groups.includes(marker)),
  ).toEqual([])

  await until(() => home.git('status', '--porcelain') === '')
  const { events } = await daemon.stop()
  expect(markersIn(JSON.stringify(events))).toEqual([])
  expect(strays(home.dir)).toEqual([])
  expect(strays(await exported(home))).toEqual([])
  expect(markersIn(objects(home))).toEqual([])
  expect(home.git('ls-files', 'rooms/shop/tasks')).toContain('water-the-plants')
  // The search itself: markers are found where they belong.
  for (const { scope, marker } of PLACES)
    expect(home.read(`.git/neo/scopes/${scope}/MEMORY.md`)).toContain(marker)
})
