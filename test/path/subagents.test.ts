/** Subagents and sessions on the path: a session that waits for its subagent, and one that a call of Neo starts. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openMind } from '../../src/compose-orchestrator.ts'
import { UNCONFINED } from './confined.ts'
import { type Home, makeHome, until } from './home.ts'
import { type Asked, startModel } from './model.ts'
import { MOMENT_MS } from '../wait.ts'

const FINISH = { calls: [{ name: 'finish_task', input: { result: 'twelve lines' } }] }

test('a session that waits for its subagent leaves it the only slot, and hears its result once', async () => {
  const model = await startModel(({ turn, last, text }: Asked) => {
    if (text.includes('# Task: Count')) return FINISH
    if (turn === 0) return { calls: [{ name: 'spawn_subagent', input: { prompt: 'Count the lines.' } }] }
    return last.includes('twelve lines') ? FINISH : 'I wait for the count.'
  })
  const home = makeHome({
    'neo.yaml': model.config,
    'rooms/shop/ROOM.md': '---\nworker: agent\nreview: none\nconcurrency: 1\n---\n',
  })
  home.task('whole', 'Do the whole.\n')
  await home.run()
  expect([home.status('whole'), home.neo('whole', 'error')]).toEqual(['completed', undefined])
  expect(model.asked.filter(({ last }) => last.includes('is completed: twelve lines'))).toHaveLength(1)
})

test('a subagent gets the persona that it is started with, and an unknown one is named at once', async () => {
  const spawn = (persona: string) => ({
    calls: [{ name: 'spawn_subagent', input: { prompt: 'Count the lines.', persona } }],
  })
  const model = await startModel(({ turn, last, text }: Asked) => {
    if (text.includes('# Task: Count')) return FINISH
    if (turn < 2) return spawn(turn === 0 ? 'ben' : 'reviewer')
    return last.includes('twelve lines') ? FINISH : 'I wait for the count.'
  })
  const home = makeHome({
    'neo.yaml': model.config,
    'rooms/shop/ROOM.md': '---\nworker: agent\nreview: none\n---\n',
    'workspace/agents/reviewer.md':
      '---\nname: reviewer\ndescription: Reads diffs.\n---\nSay only what is wrong.\n',
  })
  home.task('whole', '---\npersona: reviewer\n---\nDo the whole.\n')
  await home.run()
  expect([home.status('whole'), home.neo('whole', 'error')]).toEqual(['completed', undefined])
  const [first, second] = model.asked
  expect(first?.text).toContain('- reviewer: Reads diffs.')
  expect(first?.text).toContain('Say only what is wrong.')
  expect(second?.last).toContain('no persona is called "ben"; there are: reviewer')
  const child = model.asked.find(({ text }) => text.includes('# Task: Count'))
  expect(child?.text).toContain('Say only what is wrong.')
})

test('a session that Neo starts is started at once: his call does not hold up the daemon', async () => {
  const model = await startModel(({ tools, last }: Asked) => {
    if (!tools.includes('create_task')) return FINISH
    return last.includes('Start it')
      ? { calls: [{ name: 'create_session', input: { task_id: 'later' } }] }
      : last
  })
  const home = makeHome({
    'neo.yaml': model.config,
    'rooms/shop/ROOM.md': '---\nworker: agent\nreview: none\n---\n',
    'rooms/shop/tasks/later.md': '---\nstatus: draft\nneo: { id: t-000000, created_by: neo }\n---\n# Later\n',
  })
  const daemon = home.watch({ openOrchestrator: openMind })
  await daemon.ready()
  home.write('rooms/shop/inbox/go.md', 'Start it.\n')
  const began = Date.now()
  await until(() => model.asked.some(({ last }) => last.includes('Opened session s-')), 20_000)
  expect(Date.now() - began).toBeLessThan(MOMENT_MS)
  await until(() => home.status('later') === 'completed')
  await daemon.stop()
})

const LONG = { calls: [{ name: 'shell', input: { command: 'echo up > /dev/null; exec sleep 668.25' } }] }

/** A session whose subagent runs a command that takes long. */
async function nested() {
  const model = await startModel(({ turn, text }: Asked) => {
    if (text.includes('# Task: Sleep')) return LONG
    return turn === 0 ? { calls: [{ name: 'spawn_subagent', input: { prompt: 'Sleep.' } }] } : 'I wait.'
  })
  const home = makeHome({
    'neo.yaml': model.config,
    'rooms/shop/ROOM.md': '---\nworker: agent\nreview: none\nconcurrency: 1\n---\n',
  })
  home.task('whole', 'Do the whole.\n')
  const daemon = home.watch()
  await until(() => sleeping(home) !== '', 30_000)
  const child = readdirSync(join(home.dir, 'rooms/shop/tasks')).find((name) => name !== 'whole.md') ?? ''
  return { home, daemon, child: child.replace('.md', '') }
}

function sleeping({ dir }: Home): string {
  const found = spawnSync('pgrep', ['-f', 'sleep 668.25'], { encoding: 'utf8' }).stdout
  return found
    .split('\n')
    .filter((pid) => pid !== '' && environmentOf(pid).includes(dir))
    .join(' ')
}

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8') + readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return ''
  }
}

const ENDS: Readonly<Record<string, (home: Home) => void>> = {
  'set to blocked': (home) => home.task('whole', home.text('whole').replace('in_progress', 'blocked')),
  'set to cancelled': (home) => home.task('whole', home.text('whole').replace('in_progress', 'cancelled')),
  deleted: (home) => rmSync(join(home.dir, 'rooms/shop/tasks/whole.md')),
}

test.skipIf(UNCONFINED !== null).each(Object.entries(ENDS))(
  'the subagents of a task that a person has %s end with it, within seconds',
  async (_, end) => {
    const { home, daemon, child } = await nested()
    const began = Date.now()
    end(home)
    await until(() => sleeping(home) === '', 10_000)
    expect(Date.now() - began).toBeLessThan(MOMENT_MS)
    await until(() => home.status(child) === 'blocked' && home.neo(child, 'session') === undefined)
    expect(home.neo(child, 'error')).toBe('the session that started it was stopped')
    await until(() => readdirSync(join(home.dir, '.git/neo/sessions')).length === 0)
    await daemon.stop()
  },
)
