/** A call that waits holds up nobody: while a model says nothing, others are answered, and what ends the wait is too. */
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { until } from '../path/home.ts'
import { type ServedHome, servedHome } from './served-home.ts'

const CLEAR = { method: 'context.clear', params: { roomId: 'shop' } }
const STOP = { method: 'context.stop', params: { roomId: 'shop' } }
const LIST = { method: 'room.list', params: {} }

interface At {
  readonly served: ServedHome
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** A home whose Neo waits for a model that never answers. */
async function hanging(): Promise<At> {
  let asked = 0
  const model = http.createServer((request) => {
    request.resume()
    asked++
  })
  await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    model.closeAllConnections()
    model.close()
  })
  const { port } = model.address() as AddressInfo
  const served = servedHome({
    'neo.yaml': [
      'model: fake/claude-sonnet-5-5',
      'providers:',
      `  fake: { api: anthropic, api_key: test-key, base_url: "http://127.0.0.1:${port}" }`,
      'prices: { date: 2026-11-01, fake/claude-sonnet-5-5: { input: 2, output: 10 } }',
      'daemon: { settle: 0s, rescan: 1s }',
      '',
    ].join('\n'),
    'rooms/shop/ROOM.md': '---\nname: Shop\nworker: agent\n---\nBe brief.\n',
  })
  const { url } = await served.door()
  await until(() => served.said().token !== null)
  served.home.write('rooms/shop/inbox/hi.md', 'Hello\n')
  await until(() => asked > 0, 30_000)
  return {
    served,
    url,
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${served.said().token}` },
  }
}

const message = (id: number, call: object) => JSON.stringify({ jsonrpc: '2.0', id, ...call })

async function rpc({ url, headers }: At, call: object): Promise<unknown> {
  const answer = await fetch(`${url}/rpc`, { method: 'POST', headers, body: message(1, call) })
  return await answer.json()
}

test('while clear waits for Neo other calls are answered over HTTP and MCP, and stop ends the wait', async () => {
  const at = await hanging()
  let isCleared = false
  const cleared = rpc(at, CLEAR).then((answer) => {
    isCleared = true
    return answer
  })
  const again = rpc(at, CLEAR)
  const stream = await fetch(`${at.url}/events?channel=room:shop:state`, {
    headers: at.headers,
  })
  expect(stream.status).toBe(200)
  await stream.body?.cancel()
  expect(await rpc(at, LIST)).toMatchObject({ result: [{ id: 'lobby' }, { id: 'shop' }] })
  const asked = await fetch(`${at.url}/mcp`, {
    method: 'POST',
    headers: { ...at.headers, Accept: 'application/json, text/event-stream' },
    body: message(1, { method: 'tools/call', params: { name: 'neo_room_list', arguments: {} } }),
  })
  expect(await asked.text()).toContain('shop')
  expect(isCleared).toBe(false)
  expect(await rpc(at, STOP)).toMatchObject({ result: { stopped: true } })
  expect(await cleared).toMatchObject({ result: null })
  expect(await again).toMatchObject({ result: null })
})

test('on one WebSocket stop is answered before the clear that it ends', async () => {
  const at = await hanging()
  const ws = new WebSocket(`${at.url.replace('http', 'ws')}/hub`, { headers: at.headers })
  onTestFinished(() => ws.terminate())
  const ids: number[] = []
  ws.on('message', (data) => ids.push((JSON.parse(String(data)) as { id: number }).id))
  await new Promise((resolve) => ws.on('open', resolve))
  for (const [id, call] of [CLEAR, LIST, STOP].entries()) ws.send(message(id, call))
  await until(() => ids.length === 3)
  expect(ids).toEqual([2, 0, 1])
})
