/** Streams of A2A on the wire, and clients that are cut off. */
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { AgentRefusal } from '../../../src/aoi/agent-core.ts'
import { events, order, question, serveA2a } from './served-a2a.ts'

test('a stream is server-sent events, each a JSON-RPC response with the id of the request', async () => {
  const { core, post } = await serveA2a()
  const response = await post({
    jsonrpc: '2.0',
    id: 'q',
    method: 'SendStreamingMessage',
    params: question('m-1'),
  })
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
  const seen = []
  for await (const event of events(response)) {
    seen.push(event)
    if (seen.length === 1) core.change('w-1', { waitsForPerson: true })
    if (seen.length === 2) core.change('w-1', { completed: true, summary: 'Yes,\nit is.\n\ndata: x' })
  }
  const of = { taskId: 'w-1', contextId: 'w-1' }
  expect(seen).toMatchObject([
    { jsonrpc: '2.0', id: 'q', result: { task: { id: 'w-1', status: { state: 'TASK_STATE_WORKING' } } } },
    { id: 'q', result: { statusUpdate: { ...of, status: { state: 'TASK_STATE_INPUT_REQUIRED' } } } },
    { id: 'q', result: { artifactUpdate: { ...of, artifact: { artifactId: 'answer' }, lastChunk: true } } },
    { id: 'q', result: { statusUpdate: { ...of, status: { state: 'TASK_STATE_COMPLETED' } } } },
  ])
})

const QUIET = { jsonrpc: '2.0', id: 1, method: 'SendStreamingMessage', params: order('m-1') }

test('a quiet stream has comments', async () => {
  const { post } = await serveA2a({ pingMs: 5 })
  const { body } = await post(QUIET)
  let text = ''
  for await (const piece of body ?? []) {
    text += Buffer.from(piece).toString()
    if (text.includes('ping')) break
  }
  expect(text).toMatch(/^data: \{.*\}\n\n(: ping\n\n)+$/)
})

test('a stream ends when its time is over', async () => {
  const { core, post } = await serveA2a({ streamMs: 5 })
  expect(await (await post(QUIET)).text()).toMatch(/^data: \{.*\}\n\n$/)
  expect(core.watchers()).toBe(0)
})

test('a stream whose start is refused is an error, and no stream', async () => {
  const { core, post } = await serveA2a()
  core.refuse(new AgentRefusal(-32006, 'Slow down'))
  const response = await post({ jsonrpc: '2.0', id: 1, method: 'SendStreamingMessage', params: order('m-1') })
  expect([response.status, response.headers.get('content-type')]).toEqual([429, 'application/json'])
})

test('an error within a stream is its last event', async () => {
  const { core, post } = await serveA2a()
  const response = await post({ jsonrpc: '2.0', id: 1, method: 'SendStreamingMessage', params: order('m-1') })
  const seen = []
  for await (const event of events(response)) {
    seen.push(event)
    if (seen.length > 1) continue
    core.refuse(new AgentRefusal(-32001, 'Permission denied'))
    core.change('w-1', { state: 'in_progress' })
  }
  expect(seen).toMatchObject([{ result: { task: { id: 'w-1' } } }, { id: 1, error: { code: -32000 } }])
  expect(core.watchers()).toBe(0)
})

test('a peer has a limited number of streams, and its place is free when a client is gone', async () => {
  const { core, post, rpc } = await serveA2a({ perPeer: 1 })
  const request = (id: string) => ({ jsonrpc: '2.0', id, method: 'SendStreamingMessage', params: order(id) })
  const first = await post(request('m-1'))
  const second = await post(request('m-2'))
  expect([second.status, second.headers.get('retry-after')]).toEqual([429, '5'])
  expect((await rpc('SendMessage', question('m-3'))).result.task.status.state).toBe('TASK_STATE_WORKING')
  expect((await post(request('m-4'), { 'X-Peer': 'qa-sato' })).status).toBe(200)
  await first.body?.cancel()
  await expect.poll(async () => (await post(request('m-5'))).status).toBe(200)
  expect(core.watchers()).toBe(2)
})

test('a client that is cut off leaves nothing behind', async () => {
  const { core, url, rpc } = await serveA2a()
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: question('m-1') })
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.write(
    `POST /a2a/v1 HTTP/1.1\r\nHost: x\r\nX-Peer: pm-tanaka\r\nA2A-Version: 1.0\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  await expect.poll(() => core.watchers()).toBe(1)
  socket.destroy()
  await expect.poll(() => core.watchers()).toBe(0)
  expect((await rpc('GetTask', { id: 'w-1' })).result.status.state).toBe('TASK_STATE_WORKING')
})
