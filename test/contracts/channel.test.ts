/** What every channel promises: Telegram and a small line-based one, each against a server on loopback. */

import { describe, expect, test } from 'vitest'
import type { Progress } from '../../src/channels/channel.ts'
import { type Outbound, placeOf, placeText } from '../../src/channels/channel-message.ts'
import { wire } from '../channels/bus-home.ts'
import { type Home, until } from '../path/home.ts'
import { CHANNELS, type Subject } from './channel-subjects.ts'

/** What the port tells of the parts of one message, as the delivery queue would keep it. */
function noting(sent = 0, unsure = false): Progress & { readonly notes: string[] } {
  const notes: string[] = []
  return {
    ...{ sent, unsure, notes },
    begin: (part) => void notes.push(`begin ${part}`),
    undone: (part) => void notes.push(`undone ${part}`),
    did: (part) => void notes.push(`did ${part}`),
  }
}

const OPEN = new AbortController().signal

function message({ place }: Subject, content: string): Outbound {
  return { ...place, key: `m:${content.slice(0, 10)}`, content }
}

const LONG = ['a', 'b', 'c'].map((letter) => letter.repeat(3_000)).join('\n\n')

describe.each(CHANNELS)('the port: %s', (_, make) => {
  test('send() announces a part before it leaves and notes it after', async () => {
    const at = await make()
    const progress = noting()
    const port = await at.port()
    expect(await port.send(message(at, 'Hello.'), progress, OPEN)).toEqual({ kind: 'sent' })
    expect([at.texts(), progress.notes]).toEqual([['Hello.'], ['begin 0', 'did 0']])
  })

  test('send() sends parts in order, and not again those that have left', async () => {
    const at = await make()
    const port = await at.port()
    await port.send(message(at, LONG), noting(), OPEN)
    const whole = at.texts()
    expect(whole.map((text) => text[0])).toEqual(['a', 'b', 'c'])
    const progress = noting(2)
    await port.send(message(at, LONG), progress, OPEN)
    expect(at.texts().slice(whole.length)).toEqual(whole.slice(2))
    expect(progress.notes).toEqual(['begin 2', 'did 2'])
  })

  test('send() says so under a part that may have left before, and under no other', async () => {
    const at = await make()
    await (await at.port()).send(message(at, LONG), noting(1, true), OPEN)
    expect(at.texts().map((text) => text.includes('Possible duplicate'))).toEqual([true, false])
  })

  test('send() that is refused for now is a value, and its part did not leave', async () => {
    const at = await make()
    const port = await at.port()
    const progress = noting()
    at.refuse('later')
    expect((await port.send(message(at, 'Hello.'), progress, OPEN)).kind).toBe('later')
    expect([at.texts(), progress.notes]).toEqual([[], ['begin 0', 'undone 0']])
    expect((await port.send(message(at, 'Hello.'), noting(), OPEN)).kind).toBe('sent')
  })

  test('send() that is not confirmed is a value, and its part may have left', async () => {
    const at = await make()
    const progress = noting()
    at.refuse('lost')
    expect((await (await at.port()).send(message(at, 'Hello.'), progress, OPEN)).kind).toBe('later')
    expect([at.texts(), progress.notes]).toEqual([['Hello.'], ['begin 0']])
  })

  test('send() to a chat that is gone is a value', async () => {
    const at = await make()
    at.refuse('never')
    expect((await (await at.port()).send(message(at, 'Hello.'), noting(), OPEN)).kind).toBe('never')
  })

  test('send() after the end sends nothing', async () => {
    const at = await make()
    const sent = await (await at.port()).send(message(at, 'Hello.'), noting(), AbortSignal.abort())
    expect([sent.kind, at.texts()]).toEqual(['later', []])
  })

  test('busy() shows that an answer is being made, until it is ended', async () => {
    const at = await make()
    const end = (await at.port()).busy(at.place)
    await until(() => at.typing() > 0)
    end()
    end()
  })

  test('a place is found again in its text', async () => {
    const { place } = await make()
    for (const one of [place, { ...place, thread: '17' }]) expect(placeOf(placeText(one))).toEqual(one)
  })
})

/** The channel beside a daemon; `stop` ends both. */
async function running(at: Subject, home: Home) {
  const troubles: string[] = []
  const daemon = wire(home, troubles)
  await daemon.ready()
  await until(() => daemon.queues().seen() !== null)
  const close = at.open({
    context: daemon.context(),
    hub: daemon.hub(),
    queues: daemon.queues(),
    trouble: (why) => void troubles.push(String(why)),
  })
  daemon.closing.push(close)
  return { ...daemon, troubles, stop: () => daemon.stop() }
}

describe.each(CHANNELS)('beside a daemon: %s', (_, make) => {
  test('what is said is answered once, however often it is delivered, and in order', async () => {
    const at = await make()
    await running(at, at.home())
    const again = at.say('/room shop')
    at.say('/room lobby')
    await until(() => at.texts().length === 2)
    again()
    at.say('/tasks')
    await until(() => at.texts().length === 3)
    expect(at.texts()).toEqual([
      'Switched to the room shop.',
      'Switched to the room lobby.',
      'No open tasks.',
    ])
  })

  test('what is refused for now is sent once, before what comes after it', async () => {
    const at = await make()
    const { troubles } = await running(at, at.home())
    at.refuse('later', 'later')
    at.say('/room shop')
    at.say('/tasks')
    await until(() => at.texts().length === 2)
    expect(at.texts()).toEqual(['Switched to the room shop.', 'No open tasks.'])
    expect(troubles.at(-1)).toMatch(/null$/)
  })

  test('a stop loses nothing: what was said then is answered once after the next start', async () => {
    const at = await make()
    const home = at.home()
    const first = await running(at, home)
    at.say('/room shop')
    await until(() => at.texts().length === 1)
    await first.stop()
    at.say('/tasks')
    await running(at, home)
    await until(() => at.texts().length === 2)
    expect(at.texts()).toEqual(['Switched to the room shop.', 'No open tasks.'])
  })

  test('a login that is refused is reported, and one that is corrected counts without a restart', async () => {
    const at = await make()
    const home = at.wrong.home()
    const { troubles } = await running(at, home)
    await until(() => troubles.some((text) => text !== 'null'))
    at.wrong.correct(home)
    at.say('/room shop')
    await until(() => at.texts().length === 1)
    expect(at.texts()).toEqual(['Switched to the room shop.'])
  })

  test('a group for some is answered until a stranger comes in, and from then on it is silent', async () => {
    const at = await make()
    const { events, queues } = await running(at, at.group.home())
    at.group.say('/tasks')
    await until(() => at.texts().length === 1)
    at.group.strangerJoins()
    at.group.say('/tasks')
    await until(() => events.some(({ text }) => text.includes('is not allowed there')))
    expect([at.texts(), queues().counts().inbound]).toEqual([['No open tasks.'], 0])
  })
})
