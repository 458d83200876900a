/** npm start as a newcomer has it: with a key alone agents and Neo work; without one everything is as it was. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Asked, startModel } from '../path/model.ts'
import { neo, start, temporary, until } from './program.ts'

const IDENTITY = {
  GIT_AUTHOR_NAME: 'Ana',
  GIT_AUTHOR_EMAIL: 'ana@localhost',
  GIT_COMMITTER_NAME: 'Ana',
  GIT_COMMITTER_EMAIL: 'ana@localhost',
}

/** `npm start` in an empty folder, until the test is over. */
function started(env: Readonly<Record<string, string>>) {
  const cwd = temporary()
  const child = start(['start'], { cwd, env: { ...IDENTITY, ...env } })
  const pieces: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => pieces.push(String(piece)))
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()))
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
  }
  onTestFinished(stop)
  const path = (file: string) => join(cwd, 'home', file)
  return {
    cwd,
    stop,
    said: () => pieces.join(''),
    has: (file: string) => existsSync(path(file)),
    text: (file: string) => readFileSync(path(file), 'utf8'),
    status(file: string) {
      return existsSync(path(file)) ? /^status: (\w+)/m.exec(this.text(file))?.[1] : undefined
    },
    put(file: string, text: string) {
      mkdirSync(join(path(file), '..'), { recursive: true })
      writeFileSync(path(file), text)
    },
    git: (...args: string[]) => spawnSync('git', args, { cwd: join(cwd, 'home'), encoding: 'utf8' }).stdout,
  }
}

/** An agent that reads the report and writes what it is asked for; Neo greets. */
function answer({ tools, turn, text }: Asked) {
  if (tools.includes('create_task')) return 'It shows how files, runs and commits belong together.'
  // By its own words: the result of the other task may be among what the room remembers.
  const name = text.includes('Write hello into hello.txt') ? 'hello.txt' : 'tips.md'
  if (turn === 0) return { calls: [{ name: 'write_file', input: { path: name, content: 'hello\n' } }] }
  return { calls: [{ name: 'finish_task', input: { result: `${name} is written` } }] }
}

const DROPPED = 'rooms/desk/tasks/greet.md'
const TIPS = 'rooms/desk/tasks/tips.md'

test('with a key alone an agent works, Neo answers, and nothing is asked before', async () => {
  const model = await startModel(answer)
  const home = started({ ANTHROPIC_API_KEY: 'a-key-for-tests', ANTHROPIC_BASE_URL: model.url })
  await until(() => home.said().includes('complete sum-up'))
  expect(home.said()).toMatch(/Model: anthropic\/claude-[\s\S]*rooms\/desk\/tasks\/tips\.md/)
  expect(model.asked).toEqual([])
  home.put(DROPPED, 'Write hello into hello.txt.\n')
  home.put(TIPS, home.text(TIPS).replace('status: draft', 'status: pending'))
  await until(() => home.status(DROPPED) === 'completed' && home.status(TIPS) === 'completed')
  expect(home.text('workspace/files/hello.txt')).toBe('hello\n')
  expect(home.text(TIPS)).toMatch(/verified: \{.*commands: 1, passed: 1/)
  const said = await neo(['say', 'desk', 'What is this home for?', '--wait'], { cwd: home.cwd })
  expect([said.code, said.out]).toEqual([0, 'It shows how files, runs and commits belong together.\n'])
  await home.stop()
  expect(home.git('status', '--porcelain')).toBe('')
  expect(home.git('log', '-p')).not.toContain('a-key-for-tests')
  const used = await neo(['usage', '--by', 'room', '--json'], { cwd: home.cwd })
  expect(used.out).toContain('"desk"')
})

test('without a key runbooks run as ever, an agent task says what is missing, and starts once a key is there', async () => {
  const home = started({})
  await until(() => home.said().includes('complete sum-up'))
  expect(home.said()).toMatch(/No model is set[\s\S]*ANTHROPIC_API_KEY/)
  home.put(DROPPED, 'Write hello into hello.txt.\n')
  await until(() => home.status(DROPPED) === 'blocked')
  expect(home.text(DROPPED)).toMatch(/blocked: model[\s\S]*ANTHROPIC_API_KEY/)
  await home.stop()
  const model = await startModel(answer)
  const env = { ...IDENTITY, ANTHROPIC_API_KEY: 'a-key-for-tests', ANTHROPIC_BASE_URL: model.url }
  const { code } = await neo(['run'], { cwd: home.cwd, env })
  expect([code, home.status(DROPPED)]).toEqual([0, 'completed'])
})

test('a key that is put into .env while neo runs counts without a restart', async () => {
  const home = started({})
  await until(() => home.said().includes('complete sum-up'))
  home.put(DROPPED, 'Write hello into hello.txt.\n')
  await until(() => home.status(DROPPED) === 'blocked')
  const model = await startModel(answer)
  home.put('.env', `ANTHROPIC_API_KEY=a-key-for-tests\nANTHROPIC_BASE_URL=${model.url}\n`)
  await until(() => home.status(DROPPED) === 'completed')
  expect(home.text('workspace/files/hello.txt')).toBe('hello\n')
})

/** The task of the README, as it stands there. */
function example(): string {
  const text = /````markdown\n([\s\S]*?)````/.exec(readFileSync('README.md', 'utf8'))?.[1]
  if (text === undefined) throw new Error('The README shows no task')
  return text
}

test('the task of the README runs as it stands, in a room made as it says', async () => {
  const dir = join(temporary(), 'work')
  await neo(['init', dir], { env: IDENTITY })
  const on = { cwd: dir, env: IDENTITY }
  expect(readFileSync('README.md', 'utf8')).toContain('`neo room new shop --worker shell`')
  await neo(['room', 'new', 'shop', '--worker', 'shell'], on)
  writeFileSync(join(dir, 'rooms/shop/tasks/list.md'), example())
  await neo(['run'], on)
  expect(readFileSync(join(dir, 'rooms/shop/tasks/list.md'), 'utf8')).toMatch(/^status: completed$/m)
  expect(readFileSync(join(dir, 'workspace/files/list.txt'), 'utf8')).toContain('.gitkeep')
})

test('a runbook in a room of agents is told of worker: shell, and runs once ROOM.md says it', async () => {
  const dir = join(temporary(), 'work')
  await neo(['init', dir, '--room', 'shop'], { env: IDENTITY })
  const on = { cwd: dir, env: IDENTITY }
  const task = join(dir, 'rooms/shop/tasks/list.md')
  writeFileSync(task, example())
  writeFileSync(join(dir, 'rooms/shop/tasks/prose.md'), '# Write a page\n\nAbout the shop.\n')
  await neo(['run'], on)
  expect(readFileSync(task, 'utf8')).toMatch(/^ {2}error: .*no model is configured.*worker: shell/m)
  expect(readFileSync(join(dir, 'rooms/shop/tasks/prose.md'), 'utf8')).not.toContain('worker: shell')
  const room = join(dir, 'rooms/shop/ROOM.md')
  writeFileSync(room, readFileSync(room, 'utf8').replace('---\n', '---\nworker: shell\n'))
  await neo(['run'], on)
  expect(readFileSync(task, 'utf8')).toMatch(/^status: completed$/m)
  expect(readFileSync(task, 'utf8')).not.toContain('blocked')
})
