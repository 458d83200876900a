/** A file that is sent to a chat, over a service that may never answer. */
import { expect, test } from 'vitest'
import type { Progress } from '../../../src/channels/channel.ts'
import type { Outbound } from '../../../src/channels/channel-message.ts'
import type { Chats } from '../../../src/channels/inbox/chats.ts'
import type { Api } from '../../../src/channels/telegram/api.ts'
import { telegramChannel } from '../../../src/channels/telegram/send-message.ts'
import { MovedClock, settled } from '../../moved-clock.ts'

const MESSAGE = {
  ...{ key: 'k', channel: 'telegram', chatId: '5', content: 'Here.' },
  file: { path: '/home/list.txt', name: 'list.txt' },
}
type Answer = (chat: string, more: object, signal: AbortSignal) => Promise<unknown>

/** Until the service is asked, and what comes of it. */
function sending(answer: Answer, unsure = false, to: Partial<Outbound> = {}) {
  const clock = new MovedClock()
  const moved: string[] = []
  const asked: (readonly [string, object])[] = []
  const sendDocument = (chat: string, _: unknown, more: object, signal: AbortSignal) => {
    asked.push([chat, more])
    return answer(chat, more, signal)
  }
  const channel = telegramChannel({
    clock,
    chats: {
      now: (id: string) => moved.at(-1) ?? id,
      moved: (_: string, to: string) => moved.push(to),
    } as unknown as Chats,
    findAsk: () => null,
    api: async () => ({ api: { sendDocument } as unknown as Api, token: '1:abcdefgh' }),
  })
  const notes: string[] = []
  const progress: Progress = {
    ...{ sent: 0, unsure },
    begin: () => void notes.push('begin'),
    undone: () => void notes.push('undone'),
    did: () => void notes.push('did'),
  }
  const closing = new AbortController()
  const sent = channel.send({ ...MESSAGE, ...to }, progress, closing.signal)
  return {
    clock,
    closing,
    sent,
    notes,
    asked,
    begun: () => expect.poll(() => asked.length).toBeGreaterThan(0),
  }
}

/** As the library does when its signal aborts. */
const silent: Answer = (_, __, signal) =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))))
const refusing =
  (code: number, parameters: object = {}): Answer =>
  async () =>
    Promise.reject({ error_code: code, description: 'refused', parameters })

test('a file goes with its words, and says so if it may be there already', async () => {
  const { sent, notes, asked } = sending(async () => ({}), true)
  expect(await sent).toEqual({ kind: 'sent' })
  expect(notes).toEqual(['begin', 'did'])
  expect(asked).toEqual([['5', { caption: expect.stringMatching(/^Here\.\n\n\(Possible duplicate/) }]])
})

test('a service that never answers holds nothing up for ever: the file may have left', async () => {
  const { sent, notes, clock, begun } = sending(silent)
  await begun()
  await clock.move(10 * 60_000)
  expect(await sent).toMatchObject({ kind: 'later' })
  expect(notes).toEqual(['begin'])
})

test('a file that is on its way when the channel closes has three seconds', async () => {
  const { sent, clock, closing, begun } = sending(silent)
  await begun()
  let isOver = false
  void sent.then(() => {
    isOver = true
  })
  closing.abort()
  await clock.move(2_999)
  expect(isOver).toBe(false)
  await clock.move(1)
  await settled()
  expect(isOver).toBe(true)
})

test('a file to a topic that is gone goes to its group', async () => {
  const gone: Answer = async (_, more) =>
    'message_thread_id' in more
      ? Promise.reject({ error_code: 400, description: 'Bad Request: TOPIC_DELETED' })
      : {}
  const { sent, asked } = sending(gone, false, { thread: '9' })
  expect(await sent).toEqual({ kind: 'sent' })
  expect(asked).toHaveLength(2)
})

test('a caption that is too long is cut, and still says that the file may be there already', async () => {
  const { sent, asked } = sending(async () => ({}), true, { content: '😀'.repeat(600) })
  await sent
  const [, { caption }] = asked[0] as readonly [string, { readonly caption: string }]
  expect(caption.length).toBeLessThanOrEqual(1_024)
  expect(caption).toContain('Possible duplicate')
  // Half a character would throw.
  expect(encodeURIComponent(caption)).not.toBe('')
})

test('a file follows its group once', async () => {
  const { sent, asked } = sending(refusing(400, { migrate_to_chat_id: -100 }))
  expect(await sent).toMatchObject({ kind: 'later' })
  expect(asked.map(([chat]) => chat)).toEqual(['5', '-100'])
})

test.each([
  [403, 'never', ['begin', 'undone']],
  [429, 'later', ['begin', 'undone']],
])('a refusal %i', async (code, kind, noted) => {
  const { sent, notes } = sending(refusing(code))
  expect(await sent).toMatchObject({ kind })
  expect(notes).toEqual(noted)
})
