/** neo open and neo rpc --stdio: beside a daemon and without one. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { watching } from './daemon.ts'
import { makeHome, neo, temporary, until } from './program.ts'

const call = (id: number, method: string, params: object = {}) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })
const LINES = [
  call(1, 'room.get', { roomId: 'shop' }),
  call(2, 'subscribe', { channel: 'asks' }),
  'no JSON',
  call(3, 'memory.add', { roomId: 'shop', type: 'note', content: 'kept' }),
  call(4, 'memory.list', { roomId: 'shop' }),
]

interface Answer {
  readonly id?: unknown
  readonly result?: unknown
  readonly error?: object
}

function answersIn(out: string): ReadonlyMap<unknown, Answer> {
  const messages = out
    .trimEnd()
    .split('\n')
    .map(
      (text) =>
        JSON.parse(text) as { readonly id?: unknown; readonly result?: unknown; readonly error?: object },
    )
  return new Map(messages.map((message) => [message.id, message]))
}

test.each(['without a daemon', 'beside a daemon'])(
  'neo rpc --stdio answers line by line %s',
  async (where) => {
    const home = makeHome()
    if (where === 'beside a daemon') {
      await watching(home)
      await until(() => /"url": "http/.test(home.text('.neo/daemon.json')))
    }
    const { code, out, err } = await neo(['rpc', '--stdio', '--home', home.dir], {
      input: `${LINES.join('\n')}\n`,
    })
    expect([code, err]).toEqual([0, ''])
    const answers = answersIn(out)
    expect(answers.get(1)).toMatchObject({ result: { id: 'shop' } })
    expect(answers.get(2)).toMatchObject({ result: { channel: 'asks' } })
    expect(answers.get(null)).toMatchObject({ error: { code: -32700 } })
    expect(answers.get(4)).toMatchObject({ result: [{ content: expect.stringContaining('kept') }] })
    expect(answers.get(undefined)).toMatchObject({ method: 'event', params: { channel: 'asks' } })
  },
)

test.each([
  ['ends at once', 'exit 0', /^Opened http:\/\/127\.0\.0\.1:\d+\/? in your browser\.\n$/],
  ['stays', 'exec sleep 20', /^Opened http/],
  ['fails at once', 'exit 3', /\/#code=[\w-]{32}\n$/],
])('neo open says a line and ends well where the browser %s', async (_, does, says) => {
  const home = makeHome()
  await watching(home)
  await until(() => /"url": "http/.test(home.text('.neo/daemon.json')))
  const browser = join(temporary(), 'browser')
  writeFileSync(browser, `#!/bin/sh\n${does}\n`, { mode: 0o755 })
  const ended = await neo(['open', '--home', home.dir], { env: { BROWSER: browser } })
  expect(ended).toMatchObject({ code: 0, out: expect.stringMatching(says) })
})

test('neo open prints a link that signs in, and needs a daemon', async () => {
  const home = makeHome()
  const none = await home.neo('open')
  expect(none).toMatchObject({ code: 1, err: expect.stringContaining('no daemon is running') })
  const daemon = await watching(home)
  await until(() => /"url": "http/.test(home.text('.neo/daemon.json')))
  const { token } = JSON.parse(home.text('.neo/daemon.json')) as { readonly token: string }
  const { code, out } = await home.neo('open', '--print')
  expect([code, out]).toEqual([0, expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/#code=[\w-]{32}\n$/)])
  const link = new URL(out.trim())
  const body = JSON.stringify({ code: link.hash.replace('#code=', '') })
  const headers = { 'content-type': 'application/json' }
  const signed = await fetch(`${link.origin}/sign-in`, { method: 'POST', headers, body })
  expect(signed.status).toBe(204)
  // A pipe is no terminal: neither token nor code is in what the daemon said.
  expect(daemon.said()).toContain(`Page: ${link.origin}`)
  expect(daemon.said()).not.toContain('code=')
  expect(daemon.said()).not.toContain(token)
})
