/** neo run, watch, wait, stop, plan, status: the engine from outside, with real processes. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { dataOf, type Home, makeHome, neo, RUNBOOK, start, until } from './program.ts'

// Seconds that no other process on this machine sleeps for.
const NAP = `91.${process.pid}`
const LONG = `\`\`\`sh name=long\nsleep 1${NAP} & sleep 2${NAP}\n\`\`\`\n`

interface Status {
  readonly needsYou: Readonly<Record<string, readonly { readonly path?: string; readonly file?: string }[]>>
  readonly runs: readonly { readonly session: string; readonly path: string }[]
  readonly health: readonly { readonly part: string; readonly state: string; readonly says: string }[]
}

const status = async (home: Home): Promise<Status> => dataOf(await home.neo('status', '--json')) as Status
const sleeping = () => spawnSync('pgrep', ['-f', `sleep [12]${NAP}`], { encoding: 'utf8' }).stdout.trim()

/** A daemon with its output; ended by the test. */
function daemon(home: Home, ...args: string[]) {
  const child = start([...args, '--home', home.dir])
  const seen = { out: '', err: '' }
  child.stdout.on('data', (chunk) => (seen.out += chunk))
  child.stderr.on('data', (chunk) => (seen.err += chunk))
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  return { child, seen, ended }
}

describe('neo run', () => {
  test.each<[string, string[], string]>([
    ['--quiet', ['--quiet'], ''],
    ['log.level: error', [], 'log: { level: error }\n'],
    ['log.level: silent', [], 'log: { level: silent }\n'],
  ])('with %s says nothing of what goes well', async (_, args, config) => {
    const home = makeHome({
      'neo.yaml': `daemon: { branch: main, settle: 0s }\n${config}`,
      'rooms/shop/tasks/a.md': RUNBOOK,
    })
    expect(await home.neo('run', ...args)).toMatchObject({ code: 0, out: '' })
    home.put('rooms/shop/tasks/b.md', '```sh\nexit 3\n```\n')
    const { code, out } = await home.neo('run', ...args)
    expect([code, /3/.test(out)]).toEqual([1, !config.includes('silent')])
  })

  test('runs what can run, prints a line for each step, and ends with 0', async () => {
    const home = makeHome({
      'rooms/shop/tasks/a.md': RUNBOOK,
      'rooms/shop/tasks/b.md': `---\ndepends_on: [a]\n---\n${RUNBOOK}`,
    })
    const { code, out } = await home.neo('run')
    expect(code).toBe(0)
    expect(out).toMatch(/^\d\d:\d\d:\d\d shop +start a$/m)
    expect(out).toMatch(/complete b/)
    expect(home.git('log', '--format=%s')).toMatch(/complete b[\s\S]*complete a/)
  })

  test('with NEO_LOG=debug prints each decision, and not without it', async () => {
    for (const [level, wanted] of [
      ['debug', true],
      ['', false],
    ] as const) {
      const home = makeHome({ 'rooms/shop/tasks/a.md': RUNBOOK })
      const { out } = await neo(['run', '--home', home.dir], { env: { NEO_LOG: level } })
      expect(out.includes('decided: start rooms/shop/tasks/a.md')).toBe(wanted)
    }
  })

  test('ends with 1 when a task fails, and with 0 when what is left waits for a person', async () => {
    expect((await makeHome({ 'rooms/shop/tasks/a.md': '```sh\nexit 3\n```\n' }).neo('run')).code).toBe(1)
    expect((await makeHome({ 'rooms/lobby/tasks/a.md': '# For a person\n' }).neo('run')).code).toBe(0)
  })

  test('prints one event a line with --json', async () => {
    const { out } = await makeHome({ 'rooms/shop/tasks/a.md': RUNBOOK }).neo('run', '--json')
    const events = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(
      events.every(
        ({ schemaVersion, kind, data }) =>
          schemaVersion === 1 && kind === 'event' && typeof data.at === 'string',
      ),
    ).toBe(true)
    expect(events.map(({ data }) => data.kind)).toEqual(
      expect.arrayContaining(['ready', 'adopt', 'start', 'step', 'complete']),
    )
  })

  test('starts only what --room and --task name', async () => {
    const home = makeHome({
      'rooms/shop/tasks/a.md': RUNBOOK,
      'rooms/shop/tasks/b.md': RUNBOOK,
      'rooms/web/ROOM.md': '---\nworker: shell\n---\n',
      'rooms/web/tasks/c.md': RUNBOOK,
    })
    await home.neo('run', '--task', 'shop/a')
    expect((await home.neo('task', 'list', '--status', 'completed')).out).toMatch(/^shop\/a .*\n$/)
    await home.neo('run', '--room', 'web')
    expect((await home.neo('task', 'list', '--status', 'pending')).out).toMatch(/^shop\/b .*\n$/)
  })
})

describe('neo watch', () => {
  test('picks up a saved file, refuses a second daemon with 3, shows in status, and ends with 0 at SIGINT', async () => {
    const home = makeHome()
    const { child, seen, ended } = daemon(home, 'watch')
    await until(() => seen.err.includes('Ctrl-C'))
    home.put('rooms/shop/tasks/a.md', RUNBOOK)
    await until(() => seen.out.includes('complete a'))
    const second = await home.neo('run')
    expect(second).toMatchObject({ code: 3, out: '' })
    expect(second.err).toMatch(new RegExp(`why: process ${child.pid} `))
    expect((await status(home)).health).toContainEqual(
      expect.objectContaining({ part: 'daemon', state: 'ok' }),
    )
    child.kill('SIGINT')
    expect(await ended).toBe(0)
  })

  test('leaves a running step to its supervisor at the first signal, and the next daemon picks it up', async () => {
    const home = makeHome({
      'rooms/shop/tasks/a.md':
        '```sh\ntouch "$HOME/begun"\nwhile [ ! -e "$HOME/go" ]; do sleep 0.05; done\n```\n',
    })
    const first = start(['watch', '--home', home.dir], { env: { HOME: home.dir } })
    await until(() => existsSync(join(home.dir, 'begun')))
    first.kill('SIGTERM')
    expect(await new Promise((resolve) => first.on('close', resolve))).toBe(0)
    home.put('go', '')
    expect((await home.neo('run')).code).toBe(0)
    expect(home.text('rooms/shop/tasks/a.md')).toMatch(/status: completed[\s\S]*attempt: 1/)
  })
})

describe('neo stop', () => {
  test('ends a session with its children under a living daemon, and the task is blocked', async () => {
    const home = makeHome({ 'rooms/shop/tasks/a.md': LONG })
    const { child, seen, ended } = daemon(home, 'watch')
    await until(() => seen.out.includes('step 1 of 1') && sleeping() !== '')
    const { session } = (await status(home)).runs[0] ?? { session: '' }
    expect(await home.neo('stop', session)).toMatchObject({ code: 0 })
    expect(sleeping()).toBe('')
    await until(() => seen.out.includes('stop a'))
    expect(home.text('rooms/shop/tasks/a.md')).toMatch(/^status: blocked$/m)
    child.kill('SIGTERM')
    await ended
  })

  test('--all ends what a dead daemon has left, bars new starts, and run lifts the bar', async () => {
    const home = makeHome({
      'rooms/shop/tasks/a.md': LONG,
      'rooms/shop/tasks/b.md': `---\nstatus: draft\n---\n${RUNBOOK}`,
    })
    const { child, ended } = daemon(home, 'watch')
    await until(() => sleeping() !== '')
    child.kill('SIGKILL')
    await ended
    expect(await home.neo('stop', '--all')).toMatchObject({ code: 0 })
    expect(sleeping()).toBe('')
    expect(home.git('log', '-1', '--format=%s')).toContain('stop a')
    await home.neo('task', 'start', 'b')
    expect((await status(home)).health).toContainEqual(
      expect.objectContaining({ part: 'starts', state: 'trouble' }),
    )
    await home.neo('run')
    expect(home.text('rooms/shop/tasks/b.md')).toMatch(/^status: completed$/m)
  })

  test('says that nothing runs, with 0, when a room is named and nothing does', async () => {
    expect(await makeHome().neo('stop', '--room', 'shop')).toMatchObject({
      code: 0,
      out: 'Nothing is running.\n',
    })
  })
})

describe('neo wait', () => {
  test('ends with 0 when all are completed, and with 1 when one failed', async () => {
    const home = makeHome({
      'rooms/shop/tasks/a.md': RUNBOOK,
      'rooms/shop/tasks/b.md': '```sh\nexit 1\n```\n',
    })
    // What waits for all takes those that have not ended when it looks: it looks before the other process runs.
    const waiting = [home.neo('wait'), home.program('wait', 'a'), home.program('wait', 'a', 'b')]
    await home.program('run')
    expect((await Promise.all(waiting)).map(({ code }) => code)).toEqual([1, 0, 1])
  })

  test('ends with 1 after its timeout, and says what has not ended', async () => {
    const { code, err } = await makeHome({ 'rooms/shop/tasks/a.md': RUNBOOK }).neo(
      'wait',
      'a',
      '--timeout',
      '100ms',
    )
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('why: shop/a is pending') })
  })

  test('ends when a task is deleted, and with 130 at SIGINT', async () => {
    const home = makeHome({ 'rooms/shop/tasks/a.md': RUNBOOK, 'rooms/shop/tasks/b.md': RUNBOOK })
    const waiting = home.program('wait', 'a')
    const other = daemon(home, 'wait', 'b')
    await home.neo('task', 'delete', 'a')
    // 4 where the file went before `wait` had found it, 1 where it went meanwhile.
    expect([1, 4]).toContain((await waiting).code)
    other.child.kill('SIGINT')
    // Null where the signal came before the program listened: a shell says 130 then too.
    expect([130, null]).toContain(await other.ended)
  })
})

test('neo status sorts by what needs a person, and names problems with their line', async () => {
  const home = makeHome({
    'rooms/shop/tasks/bad.md': '---\ntitle: a: b\n---\n',
    'rooms/shop/tasks/mine.md': '---\nworker: human\n---\n# Mine\n',
    'rooms/shop/tasks/model.md': '---\nworker: agent\n---\n# Needs a model\n',
    'rooms/shop/tasks/held.md': `---\nstatus: blocked\n---\n${RUNBOOK}`,
  })
  await home.neo('run')
  const { needsYou } = await status(home)
  expect(needsYou).toMatchObject({
    yours: [{ path: 'rooms/shop/tasks/mine.md' }],
    blocked: expect.arrayContaining([
      expect.objectContaining({ path: 'rooms/shop/tasks/held.md' }),
      expect.objectContaining({ path: 'rooms/shop/tasks/model.md' }),
    ]),
    problems: [{ file: 'rooms/shop/tasks/bad.md', line: 2 }],
  })
  expect((await home.neo('status')).out).toMatch(
    /^Needs you\n(?:.*\n)*problem rooms\/shop\/tasks\/bad\.md:2:8 /,
  )
})

test('neo status says when the home is away from its branch', async () => {
  const home = makeHome()
  home.git('switch', '-q', '-c', 'elsewhere')
  expect((await status(home)).health).toContainEqual(
    expect.objectContaining({ part: 'git', state: 'trouble' }),
  )
})

test('neo plan says of a file that has its block and no commit yet that it is committed as it is', async () => {
  const home = makeHome()
  home.put('rooms/shop/tasks/build.md', '---\nneo: { id: t-aaaaaa, created_by: human }\n---\n# Build\n')
  expect((await home.neo('plan')).out).toMatch(/adopt +shop\/build +is committed as it is$/m)
})

test('neo plan says what would be done on which worker, and writes nothing', async () => {
  const home = makeHome({
    'rooms/shop/tasks/a.md': `---\nneo: { id: t-aaaaaa, created_at: 2026-03-01T09:00:00Z, created_by: human }\n---\n${RUNBOOK}`,
  })
  const { out } = await home.neo('plan')
  expect(out).toMatch(/start +shop\/a +shell +0 USD/)
  expect(home.git('status', '--porcelain') + home.git('log', '--format=%s')).toBe('A home\n')
})

test('neo plan of a new home looks ahead to rest, and writes nothing', async () => {
  const home = makeHome({
    'rooms/shop/tasks/a.md': `# A\n\n${RUNBOOK}`,
    'rooms/shop/tasks/b.md': `---\ndepends_on: [a]\n---\n# B\n\n${RUNBOOK}`,
    'rooms/shop/tasks/c.md': '---\nworker: human\ndepends_on: [b]\n---\n# C\n',
    'rooms/shop/tasks/d.md': `---\ndepends_on: [c]\n---\n# D\n\n${RUNBOOK}`,
  })
  const { out } = await home.neo('plan')
  expect(out).toMatch(
    /^adopt +shop\/a[\s\S]*\nThen, if each task succeeds.*\n1\. +start +shop\/a +shell[\s\S]*\n2\. +start +shop\/b[\s\S]*\n3\. +assign to human +shop\/c/m,
  )
  expect(out).toMatch(/Still waiting after that\nshop\/d +c \(in_progress\)/)
  expect(home.git('status', '--porcelain') + home.git('log', '--format=%s')).toBe('A home\n')
  home.put('neo.yaml', 'daemon: { branch: main, node: attic }\n')
  const there = await home.neo('plan')
  expect(there.out).toMatch(/^Nothing to do now\.$/m)
  expect(there.out).toMatch(/^shop\/a +attic \(that host does it\)$/m)
})
