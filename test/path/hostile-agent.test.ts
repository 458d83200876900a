/**
 * kill -9 at the worst moments of agents and of Neo: while an ask is open, when it is answered and not handed over, in a
 * turn, between push and pull request. Each thing happens once, and nothing is lost.
 */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { scene } from '../adapters/forges/scene.ts'
import { UNCONFINED } from './confined.ts'
import { type Home, makeHome, runbook } from './home.ts'
import { type Asked, startModel } from './model.ts'

const SCRIPT = resolve('dist/tests/dying-process.js')
const ROOM = '---\nworker: agent\nreview: none\npermissions: { shell: ask }\n---\n'
const FINISH = { calls: [{ name: 'finish_task', input: { result: 'it is done' } }] }

/** One life of the daemon. Gives whether it was ended from within. */
function life(home: Home, dieAfter = 0): Promise<{ readonly died: boolean; readonly said: string }> {
  const child = spawn(process.execPath, [SCRIPT, home.dir, String(dieAfter)])
  const said: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => said.push(String(piece)))
  return new Promise((resolve) => {
    child.on('close', (_, signal) => resolve({ died: signal === 'SIGKILL', said: said.join('') }))
  })
}

/** Lives that end after so many writes, until one comes to rest. Gives how many were cut short. */
async function lives(home: Home, cuts: readonly number[]): Promise<number> {
  let deaths = 0
  for (const cut of cuts) {
    if (!(await life(home, cut)).died) break
    deaths++
  }
  const last = await life(home)
  expect(last.died).toBe(false)
  return deaths
}

/** After how many writes each life ends; `npm run torture -- agent-kills` takes more. */
const CUTS = process.env['NEO_CUTS'] === 'all' ? [1, 2, 3, 5, 7, 10] : [1, 2, 4, 8]

function asks(home: Home): string[] {
  return home.git('ls-files', 'rooms/shop/asks').split('\n').filter(Boolean)
}

/** How many commits have this event, by their trailer. */
function events(home: Home, event: string): number {
  const all = home.git('log', '--format=%(trailers:key=Neo-Event,valueonly)').split('\n')
  return all.filter((one) => one === event).length
}

function transcript(home: Home, task: string): { readonly key?: string; readonly type: string }[] {
  const text = readFileSync(
    join(home.dir, `rooms/shop/transcripts/${home.neo(task, 'session')}.jsonl`),
    'utf8',
  )
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

test('a question is put once and answered once, whenever the daemon dies', async () => {
  let answer = ''
  const model = await startModel(({ turn, last }: Asked) => {
    if (turn === 0) return { calls: [{ name: 'ask_human', input: { question: 'Which colour?' } }] }
    if (turn === 1) answer = last
    // A call whose end nobody knows is put to the model, and it writes once more.
    const again = turn === 1 || /interrupted/i.test(last)
    return again ? { calls: [{ name: 'write_file', input: { path: 'c.txt', content: answer } }] } : FINISH
  })
  const home = makeHome({ 'neo.yaml': model.config, 'rooms/shop/ROOM.md': ROOM })
  home.task('colour', 'Pick a colour.\n')
  expect(await lives(home, CUTS)).toBeGreaterThan(2)
  const [path = '', ...others] = asks(home)
  expect([others, home.status('colour')]).toEqual([[], 'in_progress'])
  home.write(path, home.read(path).replace(/<!--.*-->/, 'Blue, please.'))
  expect(await lives(home, CUTS)).toBeGreaterThan(2)
  expect([home.status('colour'), home.neo('colour', 'error')]).toEqual(['completed', undefined])
  expect(home.read('workspace/files/c.txt').match(/Blue, please/g)).toHaveLength(1)
  expect([asks(home), events(home, 'ask')]).toEqual([[path], 1])
  expect(home.read(path).match(/^handled_at: /gm)).toHaveLength(1)
  const keys = transcript(home, 'colour').flatMap(({ key }) => key ?? [])
  expect(keys).toEqual([...new Set(keys)])
  expect(home.git('status', '--porcelain')).toBe('')
})

test.skipIf(UNCONFINED !== null)(
  'an approved command runs once, and a pending one never, whenever the daemon dies',
  async () => {
    const model = await startModel(({ turn }: Asked) =>
      turn === 0 ? { calls: [{ name: 'shell', input: { command: 'echo ran >> ran.txt' } }] } : FINISH,
    )
    const home = makeHome({ 'neo.yaml': model.config, 'rooms/shop/ROOM.md': ROOM })
    home.task('run', 'Run it.\n')
    expect(await lives(home, CUTS)).toBeGreaterThan(2)
    const [path = '', ...others] = asks(home)
    expect(others).toEqual([])
    home.write(path, home.read(path).replace('decision: pending', 'decision: approved'))
    expect(await lives(home, CUTS)).toBeGreaterThan(2)
    expect([home.status('run'), home.neo('run', 'error')]).toEqual(['completed', undefined])
    expect(home.read('workspace/files/ran.txt')).toBe('ran\n')
    expect(asks(home)).toEqual([path])
    expect(home.read(path)).toMatch(/^handled_at: /m)
    expect(home.git('status', '--porcelain')).toBe('')
  },
)

test('a message becomes its tasks once, whenever the daemon dies in the turn', async () => {
  const create = (title: string) => {
    return { name: 'create_task', input: { title, description: `${title}.`, worker: 'human' } }
  }
  const model = await startModel(({ tools, last, text }: Asked) => {
    if (!tools.includes('create_task')) return FINISH
    const missing = ['Paint', 'Sand', 'Varnish'].filter((title) => !text.includes(`"title":"${title}"`))
    const begins = last.includes('Make a table') || /interrupted/i.test(last)
    return missing.length > 0 && begins ? { calls: missing.map(create) } : 'The tasks are there.'
  })
  const home = makeHome({ 'neo.yaml': model.config, 'rooms/shop/ROOM.md': ROOM })
  home.write('rooms/shop/inbox/table.md', 'Make a table.\n')
  expect(await lives(home, CUTS)).toBeGreaterThan(2)
  const titles = home
    .git('ls-files', 'rooms/shop/tasks')
    .split('\n')
    .map((path) => /^title: (.*)$/m.exec(home.read(path))?.[1])
  expect(titles.sort()).toEqual(['Paint', 'Sand', 'Varnish'])
  expect([home.has('rooms/shop/inbox/table.md'), events(home, 'reply')]).toEqual([false, 1])
  expect(home.read('rooms/shop/inbox/archive/table.md').match(/## Reply/g)).toHaveLength(1)
  expect(home.git('status', '--porcelain')).toBe('')
})

test('a pull request is opened once, whenever the daemon dies between push and request', async () => {
  const at = await scene('github')
  const env = Object.entries(at.env).map(([name, value]) => `${name}=${value}\n`)
  const room = `---\nworkspace: ${at.clone.dir}\nworker: shell\nreview: pr\n---\n`
  const home = makeHome({ '.env': env.join(''), 'rooms/shop/ROOM.md': room })
  home.task('fix', runbook(['echo fixed > fix.txt']))
  expect(await lives(home, [2, 5, 6, 6, 1, 1, 1, 2, 1, 2, 1])).toBeGreaterThan(5)
  expect([home.status('fix'), home.neo('fix', 'error')]).toEqual(['review', undefined])
  expect(at.forge.pulls).toHaveLength(1)
  expect(home.neo('fix', 'pr')).toMatch(/\/1$/)
})
