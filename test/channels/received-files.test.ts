/** Files that people send: tried again where that may help, and the parts of an album as one message, however they come. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Held, Inbound, Outbound } from '../../src/channels/channel-message.ts'
import { type FetchFile, NO_FILES, openMedia } from '../../src/channels/inbox/media.ts'
import { composeFiles } from '../../src/compose.ts'
import { openQueue } from '../../src/store/durable-queue.ts'
import { MovedClock, settled } from '../moved-clock.ts'
import { said } from './bus-home.ts'

const PART = { content: '', metadata: {} }
const ASIDE = { content: '', metadata: { aside: 'yes' } }

/** The keeper of a folder; `again` opens it anew, as a restart does. */
function keeping(
  fetch: FetchFile<object> = async (_, id) => Buffer.from(id),
  dir = mkdtempSync(join(tmpdir(), 'neo-files-')),
) {
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const files = composeFiles()
  const clock = new MovedClock()
  const closing = new AbortController()
  const held = openQueue<Held>(files, join(dir, 'media.jsonl'))
  const accepted: Inbound[] = []
  const told: Outbound[] = []
  const media = openMedia({
    name: 'test',
    context: { dir, world: { files, clock }, emit: () => {} } as never,
    connection: { open: async () => ({}) },
    queues: {
      held,
      accept: (message) => (accepted.push(message) > 0 ? 'new' : 'known'),
      put: (message) => (told.push(message) > 0 ? 'new' : 'known'),
      kept: async () => {},
    },
    fetch,
    signal: closing.signal,
  })
  const part = (n: number, more: Partial<Inbound> = PART, album: string | undefined = 'one') =>
    media.hold(said(n, more), [{ fileId: `file ${n}`, kind: 'image', type: 'image/png', bytes: 1 }], album)
  const file = (n: number) =>
    media.hold(said(n), [{ fileId: `file ${n}`, kind: 'file', type: 'x', bytes: 1 }], undefined)
  return {
    ...{ clock, held, accepted, told, media, part, file },
    /** No part comes for so long, and the service is heard. */
    async quiet() {
      await clock.move(1_000)
      media.caughtUp()
      await settled()
    },
    async again() {
      closing.abort()
      await media.rest()
      return keeping(fetch, dir)
    },
  }
}

/** The messages that were accepted, each with its files. */
async function texts(of: ReturnType<typeof keeping>, count = 1): Promise<string[]> {
  await expect.poll(() => [of.accepted.length, of.held.waiting().length]).toEqual([count, 0])
  const files = composeFiles()
  return of.accepted.map(({ content, media }) => {
    const bytes = media.map(({ path }) => files.read(path, 100))
    return [content, ...bytes.map((read) => (read.kind === 'file' ? read.bytes.toString() : '?'))].join('|')
  })
}

test.each([
  ['the first', [{ content: 'Look' }, PART, PART]],
  ['the last', [PART, PART, { content: 'Look' }]],
])('its words stand under %s part, and all files come with them', async (_, parts) => {
  const of = keeping()
  for (const [n, more] of parts.entries()) of.part(n + 1, more)
  await of.quiet()
  expect(await texts(of)).toEqual(['Look|file 1|file 2|file 3'])
})

test('parts are put in their order, and all words are heard without secrets', async () => {
  const of = keeping()
  of.part(3, { content: 'c', metadata: { masked: 'PIN' } })
  of.part(1, { content: 'a' })
  of.part(2, PART)
  await of.quiet()
  expect(await texts(of)).toEqual(['a\n\nc|file 1|file 2|file 3'])
  expect(of.accepted[0]?.metadata).toEqual({ masked: 'PIN' })
})

test('an album waits as long as parts come, and as long as the service is not heard', async () => {
  const of = keeping()
  of.part(1)
  await of.clock.move(60_000)
  of.part(2)
  of.media.caughtUp()
  await of.clock.move(999)
  of.media.caughtUp()
  of.part(3)
  await of.clock.move(999)
  of.media.caughtUp()
  await settled()
  expect([of.accepted, of.media.gathers()]).toEqual([[], true])
  await of.quiet()
  expect(await texts(of)).toEqual(['|file 1|file 2|file 3'])
  expect(of.media.gathers()).toBe(false)
})

test('what is said after an album waits for it, and another album is another message', async () => {
  const of = keeping()
  of.part(1)
  of.media.hold(said(9, { content: 'And this' }), [], undefined)
  of.part(2)
  of.part(3, PART, 'two')
  await of.quiet()
  expect(await texts(of, 3)).toEqual(['|file 1|file 2', 'And this', '|file 3'])
})

test('a restart in the middle of an album leaves it one message', async () => {
  const first = keeping()
  first.part(1)
  await first.clock.move(5_000)
  const of = await first.again()
  expect(of.media.gathers()).toBe(true)
  of.part(1)
  of.part(2, { content: 'Look' })
  await of.quiet()
  expect([first.accepted, await texts(of)]).toEqual([[], ['Look|file 1|file 2']])
})

test('in a group an album is heard if one of its parts is for the bot, and a late part of it too', async () => {
  const of = keeping()
  of.part(1, ASIDE)
  of.part(2, { content: 'Look' })
  await of.quiet()
  expect(await texts(of)).toEqual(['Look|file 1|file 2'])
  of.part(3, ASIDE)
  await of.quiet()
  expect(await texts(of, 2)).toEqual(['Look|file 1|file 2', '|file 3'])
  of.part(4, ASIDE, 'two')
  of.part(5, ASIDE, 'two')
  await of.quiet()
  expect(await texts(of, 2)).toHaveLength(2)
})

test('a command over an album is carried out once, and its sender is told that it takes no files', async () => {
  const of = keeping()
  of.part(1, PART)
  of.part(2, { content: '/status', kind: 'command' })
  await of.quiet()
  expect(await texts(of)).toEqual(['/status'])
  expect(of.accepted[0]).toMatchObject({ key: 'test:7:1', kind: 'command' })
  expect(of.told).toMatchObject([{ key: 'unread:test:7:2', content: NO_FILES, replyTo: '2' }])
})

test('an album that is purged while it is gathered is not heard', async () => {
  const of = keeping()
  of.part(1)
  of.part(2)
  await settled()
  of.held.forget(() => true)
  await of.quiet()
  await of.quiet()
  expect([of.accepted, of.media.gathers()]).toEqual([[], false])
})

test('a file that may come is asked for again, as late as the service says, and others wait behind it', async () => {
  const answers = [
    { why: 'flood', mayCome: true, afterMs: 90_000 },
    { why: 'down', mayCome: true },
  ]
  const of = keeping(async (_, id) => answers.shift() ?? Buffer.from(id))
  of.file(1)
  of.media.hold(said(2), [], undefined)
  await of.clock.move(89_999)
  expect([of.accepted, answers.length]).toEqual([[], 1])
  await of.clock.move(1)
  await of.clock.move(2_000)
  expect(await texts(of, 2)).toEqual(['message 1|file 1', 'message 2'])
})

test.each([
  [{ why: 'too big', mayCome: false }, 1],
  [{ why: 'down', mayCome: true }, 9],
])(
  'a file with %j is asked for %i times, and its message says that it is missing',
  async (missing, times) => {
    let asked = 0
    const of = keeping(async () => {
      asked++
      return missing
    })
    of.file(1)
    await of.clock.move(240_000)
    expect([await texts(of), asked]).toEqual([[`message 1\n\n[file not received: ${missing.why}]`], times])
  },
)

test('a message that is purged while its file is on its way is not heard', async () => {
  let give = (_: Buffer): void => {}
  const of = keeping(() => new Promise((resolve) => (give = resolve)))
  of.file(1)
  await settled()
  of.held.forget(() => true)
  give(Buffer.from('late'))
  await settled()
  expect([of.accepted, of.media.has('test:7:1')]).toEqual([[], true])
})
