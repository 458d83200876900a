/** The hub is the same through every door: one suite, four transports, real homes. */
import { describe, expect, test } from 'vitest'
import { until } from '../path/home.ts'
import type { Hub } from '../../src/hub/hub.ts'
import { HUMAN, hubHome, turning } from '../hub/hub-home.ts'
import { type Line, TRANSPORTS } from '../servers/transports.ts'

const call = (id: unknown, method: string, params?: unknown) => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params === undefined ? {} : { params }),
})

async function said(line: Line, message: unknown): Promise<unknown> {
  const text = await line.ask(typeof message === 'string' ? message : JSON.stringify(message))
  return text === null ? null : JSON.parse(text)
}

describe.each(Object.entries(TRANSPORTS))('%s', (_, open) => {
  test('a call gives what the hub gives', async () => {
    const { hub } = await hubHome()
    const line = await open(hub)
    const answer = await said(line, call('a', 'room.get', { roomId: 'shop' }))
    expect(answer).toEqual({
      jsonrpc: '2.0',
      id: 'a',
      result: await hub.call(HUMAN, 'room.get', { roomId: 'shop' }),
    })
  })

  test('each mistake has its code, and its data', async () => {
    const line = await open((await hubHome()).hub)
    const codes: readonly (readonly [unknown, number, unknown])[] = [
      ['{', -32700, null],
      ['{"jsonrpc":"2.0","method":1}', -32600, null],
      [[], -32600, null],
      [call(1, 'no.such', {}), -32601, 1],
      [call(2, 'room.get', { room: 'shop' }), -32602, 2],
      [call(2.5, 'room.get', ['shop']), -32602, 2.5],
      [call(3, 'room.get', { roomId: 'nowhere' }), -32002, 3],
      [call(4, 'room.update', { roomId: 'shop', updates: { neo: {} } }), -32001, 4],
      [
        `{"jsonrpc":"2.0","id":5,"method":"room.list","params":${'['.repeat(99)}${']'.repeat(99)}}`,
        -32600,
        null,
      ],
    ]
    for (const [message, code, id] of codes)
      expect(await said(line, message)).toMatchObject({ id, error: { code } })
    const wrong = await said(line, call(1, 'room.get', { room: 'shop' }))
    expect(wrong).toMatchObject({ error: { data: { issues: [{ path: ['roomId'] }, { path: [] }] } } })
    const fixed = await said(line, call(1, 'room.update', { roomId: 'shop', updates: { neo: {} } }))
    expect(fixed).toMatchObject({ error: { data: { rule: 'fixed-keys' } } })
  })

  test('a notice is carried out and never answered; a batch is answered for its calls alone', async () => {
    const { hub } = await hubHome()
    const line = await open(hub)
    const add = (content: string) => ({
      jsonrpc: '2.0',
      method: 'memory.add',
      params: { roomId: 'shop', type: 'note', content },
    })
    expect(await said(line, add('one'))).toBeNull()
    expect(await said(line, [add('two'), { ...add('three'), params: {} }])).toBeNull()
    const answers = await said(line, [add('four'), call(1, 'memory.list', { roomId: 'shop' }), 7])
    expect(answers).toMatchObject([{ id: 1 }, { id: null, error: { code: -32600 } }])
    const kept = (await hub.call(HUMAN, 'memory.list', { roomId: 'shop' })) as { readonly content: string }[]
    expect(kept.map(({ content }) => content.trim()).toSorted()).toEqual(['four', 'one', 'two'])
  })

  test('a batch of answers that fill the memory is answered as far as it goes, and the line goes on', async () => {
    const most = 'x'.repeat(11 * 1024 * 1024)
    const carried: unknown[] = []
    const hub: Hub = {
      call: async (_principal, method, params) => {
        carried.push(params)
        return method === 'big' ? most : method
      },
      subscribe: async () => () => {},
    }
    const line = await open(hub)
    const batch = Array.from({ length: 60 }, (_none, id) => call(id, 'big', { id }))
    const notice = { jsonrpc: '2.0', method: 'small', params: { id: 'notice' } }
    const answers = (await said(line, [...batch, notice])) as { id: number; error?: { code: number } }[]
    expect(answers.map(({ id }) => id)).toEqual(batch.map(({ id }) => id))
    const refused = answers.flatMap(({ error }) => error?.code ?? [])
    expect(refused).toEqual(Array.from({ length: 57 }, () => -32004))
    expect(carried.filter((params) => params !== undefined).slice(0, 4)).toEqual([
      { id: 0 },
      { id: 1 },
      { id: 2 },
      { id: 'notice' },
    ])
    expect(await said(line, call('after', 'small'))).toMatchObject({ result: 'small' })
  })

  test('a subscriber gets the state, then each change with the next number, and nothing after the end', async () => {
    const { hub } = await turning(await hubHome())
    const line = await open(hub)
    const heard = await line.listen('room:shop:state')
    await until(() => heard.events.length > 0)
    expect(heard.events[0]?.data).toMatchObject({ snapshot: { room: { shop: { name: 'Shop' } } } })
    await hub.call(HUMAN, 'task.create', {
      roomId: 'shop',
      title: 'Paint',
      description: 'x',
      status: 'draft',
    })
    await until(() => JSON.stringify(heard.events.slice(1)).includes('"Paint"'))
    const seqs = heard.events.map(({ seq }) => seq)
    expect(seqs).toEqual(seqs.map((_seq, index) => (seqs[0] ?? 0) + index))
    await heard.end()
    const had = heard.events.length
    hub.emit('room:shop:state', { never: 'heard' })
    const other = await line.listen('room:shop:neo')
    hub.emit('room:shop:neo', { text: 'heard' })
    await until(() => other.events.length > 1)
    expect(heard.events).toHaveLength(had)
  })

  test('who comes back with its last number misses nothing; one that is not known gets a fresh state', async () => {
    const { hub } = await hubHome()
    const line = await open(hub)
    const first = await line.listen('room:shop:neo')
    for (const text of ['a', 'b', 'c']) hub.emit('room:shop:neo', { text })
    await until(() => first.events.length === 4)
    const since = first.events[1]?.seq ?? 0
    await first.end()
    const again = await line.listen('room:shop:neo', since)
    await until(() => again.events.length === 2)
    expect(again.events.map(({ data }) => data)).toEqual([
      { change: { text: 'b' } },
      { change: { text: 'c' } },
    ])
    await again.end()
    const lost = await line.listen('room:shop:neo', 1)
    await until(() => lost.events.length === 1)
    expect(lost.events[0]?.data).toMatchObject({ resync: true, snapshot: {} })
  })

  test('a channel that is not there is refused', async () => {
    const line = await open((await hubHome()).hub)
    await expect(line.listen('room:nowhere:state')).rejects.toMatchObject({ code: -32002 })
    await expect(line.listen('no-channel')).rejects.toMatchObject({ code: -32002 })
  })
})
