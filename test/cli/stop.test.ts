/** neo stop beside a daemon whose sessions are agents: a silent model and a subagent's command end with it, in seconds. */
import { spawnSync } from 'node:child_process'
import { expect, onTestFinished, test } from 'vitest'
import { silence, startModelServer } from '../adapters/models/server.ts'
import { UNCONFINED } from '../path/confined.ts'
import { type Asked, startModel } from '../path/model.ts'
import { watching } from './daemon.ts'
import { type Home, makeHome, until } from './program.ts'
import { MOMENT_MS } from '../wait.ts'

const ROOM = '---\nname: Shop\nworker: agent\nreview: none\n---\n'

function status(home: Home, name: string): string {
  return /^status: (\w+)/m.exec(home.text(`rooms/shop/tasks/${name}`))?.[1] ?? ''
}

test('stop ends a session whose model says nothing', async () => {
  const server = await startModelServer()
  onTestFinished(() => server.close())
  server.next(silence)
  const provider = `{ api: anthropic, api_key: key, base_url: "${server.url}", flags: { idle_seconds: 600 } }`
  const config = `model: fake/some-model\nproviders:\n  fake: ${provider}\ndaemon: { settle: 0s }\n`
  const home = makeHome({ 'neo.yaml': config, 'rooms/shop/ROOM.md': ROOM })
  await watching(home)
  home.put('rooms/shop/tasks/a.md', 'Work.\n')
  await until(() => server.asked.length === 1)
  const began = Date.now()
  expect(await home.neo('stop', 'a')).toMatchObject({ code: 0 })
  expect(Date.now() - began).toBeLessThan(MOMENT_MS)
  await until(() => status(home, 'a.md') === 'blocked')
  expect(home.text('.git/neo/audit.jsonl')).toContain('"method":"session.stop"')
})

/** Seconds that no other process on this machine sleeps for. */
const NAP = `669.${process.pid}`

function sleeping(): string {
  return spawnSync('pgrep', ['-f', `^sleep ${NAP}`], { encoding: 'utf8' }).stdout
}

test.skipIf(UNCONFINED !== null)(
  'stop ends the command of a subagent with its session, and both tasks are blocked',
  async () => {
    const model = await startModel(({ turn, text }: Asked) => {
      if (text.includes('# Task: Sleep'))
        return { calls: [{ name: 'shell', input: { command: `exec sleep ${NAP}` } }] }
      return turn === 0 ? { calls: [{ name: 'spawn_subagent', input: { prompt: 'Sleep.' } }] } : 'I wait.'
    })
    const home = makeHome({ 'neo.yaml': model.config, 'rooms/shop/ROOM.md': ROOM })
    await watching(home)
    home.put('rooms/shop/tasks/whole.md', 'Do the whole.\n')
    await until(() => sleeping() !== '')
    const child = home.names('rooms/shop/tasks').find((name) => name.startsWith('sleep')) ?? ''
    const { code, out } = await home.neo('stop', 'whole')
    expect([code, out.match(/stopped/g)?.length, sleeping()]).toEqual([0, 2, ''])
    await until(() => status(home, 'whole.md') === 'blocked' && status(home, child) === 'blocked')
  },
)
