/** One connection to the daemon, however many calls come at once. */
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { lastingHub } from '../../src/client/lasting-hub.ts'
import type { LocalHub } from '../../src/client/local-hub.ts'

const HOME = '/no/home/of/anybody'
const PERSON = { kind: 'human' } as const

/** A daemon that answers everything with null, and a hub that knows its address. */
async function scene() {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => {
    for (const client of server.clients) client.terminate()
    server.close()
  })
  await new Promise((resolve) => server.once('listening', resolve))
  let opened = 0
  server.on('connection', (ws) => {
    opened++
    ws.on('message', (data) => {
      const { id } = JSON.parse(data.toString()) as { readonly id: number }
      ws.send(JSON.stringify({ jsonrpc: '2.0', id, result: null }))
    })
  })
  const { port } = server.address() as AddressInfo
  const address = { url: `http://127.0.0.1:${port}`, token: 'token-of-tests', home: HOME }
  const file = { ...address, pid: 1, startTime: '1', bootId: '1' }
  const world = { files: { readJson: () => file }, processes: { alive: () => true } }
  const hub = await lastingHub({ home: HOME, world, context: async () => ({}) } as unknown as LocalHub)
  const list = () => hub.call(PERSON, 'room.list', {})
  return { list, opened: () => opened, server }
}

test('first calls at once open one connection, and so do those after it is lost', async () => {
  const { list, opened, server } = await scene()
  await Promise.all([list(), list(), list()])
  expect(opened()).toBe(1)
  for (const client of server.clients) client.terminate()
  await expect.poll(() => server.clients.size).toBe(0)
  await Promise.allSettled([list(), list()])
  await Promise.all([list(), list()])
  expect(opened()).toBe(2)
})
