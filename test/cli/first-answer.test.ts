/** What a daemon answers first: its address is told only when it can answer, and what is committed is there by then. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeHome, RUNBOOK, start, until } from './program.ts'

interface Said {
  readonly url: string | null
  readonly token: string
}

test('the first call after daemon.json has its url finds every room and task that is committed', async () => {
  const rooms = Array.from({ length: 20 }, (_, n) => [
    [`rooms/r${n}/ROOM.md`, '---\nworker: shell\n---\n'],
    [`rooms/r${n}/tasks/a.md`, `---\nstatus: draft\n---\n${RUNBOOK}`],
  ]).flat()
  const home = makeHome({
    'neo.yaml': 'daemon: { branch: main, settle: 1h }\nhttp: { port: 0 }\n',
    ...Object.fromEntries(rooms),
  })
  const child = start(['watch', '--home', home.dir])
  onTestFinished(() => void child.kill('SIGTERM'))
  let said: Said | null = null
  await until(() => {
    said = saidIn(home.dir)
    return said !== null && said.url !== null
  })
  const { url, token } = said as unknown as Said
  const ask = async (method: string, params: object) => {
    const response = await fetch(`${url}/rpc`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    return ((await response.json()) as { result?: unknown }).result
  }
  const made = await ask('task.create', { roomId: 'r7', title: 'New', description: '' })
  expect(made).toMatchObject({ id: expect.any(String) })
  expect(await ask('room.list', {})).toHaveLength(22)
  expect(await ask('task.list', { roomId: 'r8' })).toHaveLength(1)
})

function saidIn(dir: string): Said | null {
  try {
    return JSON.parse(readFileSync(join(dir, '.neo/daemon.json'), 'utf8')) as Said
  } catch {
    return null
  }
}
