/**
 * Confinement follows the author of the files that run: commands of a person over what a model has changed. With
 * bubblewrap they run confined; without it they wait for a person, who is shown what changed.
 */
import { chmodSync, existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { UNCONFINED } from '../path/confined.ts'
import { until } from '../path/home.ts'
import { checkGround, type Ground, makeGround } from './ground.ts'
import { write } from './rows.ts'
import { bareWorld, requests, turnsOf } from './unconfined.ts'

interface Case {
  readonly name: string
  /** Lines of the room's header. */
  readonly room: readonly string[]
  /** What the model writes; `MARK` creates the marker file. */
  readonly writes: Readonly<Record<string, string>>
  /** What a person has committed in the workspace before. */
  readonly there?: Readonly<Record<string, string>>
}

const CHECKS: readonly Case[] = [
  { name: 'a script', room: ['verify: ["sh ./check.sh"]'], writes: { 'check.sh': 'MARK\n' } },
  { name: 'a script in a folder', room: ['verify: ["cd sub && . ./x"]'], writes: { 'sub/x': 'MARK\n' } },
  {
    name: 'npm test',
    room: ['verify: ["npm test --silent"]'],
    writes: { 'package.json': '{"scripts":{"test":"sh ./t.sh"}}', 't.sh': 'MARK\n' },
  },
  {
    name: 'node and an imported file',
    room: ['verify: ["node test.cjs"]'],
    there: { 'test.cjs': 'require("./lib.cjs")\n' },
    writes: { 'lib.cjs': 'require("child_process").execSync("sh ./m.sh")\n', 'm.sh': 'MARK\n' },
  },
  {
    name: 'a function of a sourced file',
    room: ['verify: [". ./env.sh; ok"]'],
    writes: { 'env.sh': 'ok() { MARK\n}\n' },
  },
  {
    name: 'a program on PATH in the worktree',
    room: ['verify: ["PATH=$PWD/bin:$PATH lint-all"]'],
    there: { 'bin/lint-all': '#!/bin/sh\nexit 0\n' },
    writes: { 'bin/lint-all': '#!/bin/sh\nMARK\n' },
  },
  { name: 'make', room: ['verify: ["make -s"]'], writes: { Makefile: 'all:\n\t@MARK\n' } },
  {
    name: 'a wrapper of a build tool',
    room: ['verify: ["./gradlew test"]'],
    there: { gradlew: '#!/bin/sh\nexit 0\n' },
    writes: { gradlew: '#!/bin/sh\nMARK\n' },
  },
  { name: 'cleanup', room: ['cleanup: ["sh ./clean.sh"]'], writes: { 'clean.sh': 'MARK\n' } },
  {
    name: 'checks and cleanup',
    room: ['verify: ["true"]', 'cleanup: ["sh ./clean.sh"]'],
    writes: { 'clean.sh': 'MARK\n' },
  },
]

/** What these run is not here, or not quick: they are only asked about. */
const TOOLS: readonly Case[] = [
  { name: 'pytest', room: ['verify: ["python3 -m pytest"]'], writes: { 'conftest.py': 'import os\n' } },
  { name: 'cargo', room: ['verify: ["cargo test"]'], writes: { 'build.rs': 'fn main() {}\n' } },
  { name: 'an interpreter', room: ['verify: ["python3 run.py"]'], writes: { 'sitecustomize.py': '\n' } },
]

describe.skipIf(UNCONFINED !== null)('with bubblewrap', () => {
  test.each(CHECKS)('$name runs confined', async (one) => {
    const ground = await groundOf(one)
    const seen = await ground.run()
    checkGround(ground, seen)
    expect(seen.status).toBe('completed')
  })
})

describe('without bubblewrap', () => {
  test.each([...CHECKS, ...TOOLS])('$name waits for a person, and a no leaves it undone', async (one) => {
    const ground = await groundOf(one)
    const { home, marker } = ground
    const watching = home.watch({ world: await bareWorld(ground) })
    await until(() => requests(ground).length === 1)
    const [path = ''] = requests(ground)
    const text = home.read(path)
    expect({ ran: existsSync(marker), status: home.status('t') }).toEqual({
      ran: false,
      status: 'in_progress',
    })
    for (const name of Object.keys(one.writes)) expect(text).toMatch(new RegExp(`${name} \\+\\d+ -\\d+`))
    expect(text).toContain('commands')
    home.write(path, text.replace('decision: pending', 'decision: denied'))
    const wanted = one.room.some((line) => line.startsWith('verify')) ? 'review' : 'completed'
    await until(() => home.status('t') === wanted)
    await watching.stop()
    expect(existsSync(marker)).toBe(false)
    expect(home.neo('t', 'result')).toContain('not run')
    expect(home.neo('t', 'verified')).toBeUndefined()
    if (wanted === 'review') expect(home.neo('t', 'hold')).toContain('checks did not run')
  })

  test('a yes runs the checks of exactly that commit, and the work is merged as verified', async () => {
    const ground = await groundOf({
      name: '',
      room: ['verify: ["sh ./check.sh"]'],
      writes: { 'check.sh': 'MARK\n' },
    })
    const { home, marker } = ground
    const watching = home.watch({ world: await bareWorld(ground) })
    await until(() => requests(ground).length === 1)
    const [path = ''] = requests(ground)
    home.write(path, home.read(path).replace('decision: pending', 'decision: approved'))
    await until(() => home.status('t') === 'completed')
    await watching.stop()
    expect([existsSync(marker), home.has('workspace/files/check.sh')]).toEqual([true, true])
    expect(home.text('t')).toMatch(/verified:/)
  })

  test('what changes after the request is asked about again', async () => {
    const ground = await groundOf({
      name: '',
      room: ['verify: ["sh ./check.sh"]'],
      writes: { 'check.sh': 'true\n' },
    })
    const { home, marker } = ground
    const watching = home.watch({ world: await bareWorld(ground) })
    await until(() => requests(ground).length === 1)
    const [path = ''] = requests(ground)
    ground.put(join(worktreeOf(ground), 'workspace/files/check.sh'), `id > ${marker}\n`)
    home.write(path, home.read(path).replace('decision: pending', 'decision: approved'))
    await until(() => requests(ground).length === 2)
    expect([existsSync(marker), home.status('t')]).toEqual([false, 'in_progress'])
    await watching.stop()
  })
})

const RESUMED: readonly { readonly name: string; readonly room: readonly string[]; readonly body: string }[] =
  [
    { name: 'setup of an agent', room: ['setup: ["sh ./check.sh"]'], body: '# t\n\nDo it.\n' },
    {
      name: 'the steps of a runbook of a person',
      room: ['worker: shell'],
      body: '# t\n\n```sh\nsh ./check.sh\n```\n',
    },
    {
      name: 'the checks of a runbook of a person',
      room: ['worker: shell', 'verify: ["sh ./check.sh"]'],
      body: '# t\n\n```sh\ntrue\n```\n',
    },
  ]

describe("on a branch that holds a model's work", () => {
  test.skipIf(UNCONFINED !== null).each(RESUMED)('$name runs confined', async ({ room, body }) => {
    const ground = await resumed(room, body)
    const seen = await ground.run()
    expect(existsSync(ground.marker)).toBe(false)
    expect(seen.status).toMatch(/completed|review/)
  })

  test.each(RESUMED)('$name waits for a person without bubblewrap', async ({ room, body }) => {
    const ground = await resumed(room, body)
    const watching = ground.home.watch({ world: await bareWorld(ground) })
    await until(() => requests(ground).length === 1)
    const [path = ''] = requests(ground)
    const text = ground.home.read(path)
    expect([existsSync(ground.marker), text.includes('check.sh +1 -0')]).toEqual([false, true])
    ground.home.write(path, text.replace('decision: pending', 'decision: denied'))
    await until(() => ground.home.status('t') === 'failed')
    await watching.stop()
    expect(existsSync(ground.marker)).toBe(false)
  })
})

async function groundOf({ name, room, writes, there = {} }: Case): Promise<Ground> {
  return makeGround(
    {
      name,
      room: () => room,
      given: (ground) => {
        for (const [path, text] of Object.entries(there)) {
          ground.home.write(`workspace/files/${path}`, text)
          chmodSync(join(ground.home.dir, 'workspace/files', path), 0o755)
        }
        ground.git(ground.home.dir, 'add', 'workspace')
        if (Object.keys(there).length > 0) ground.git(ground.home.dir, 'commit', '-q', '-m', 'files')
      },
      turns: turnsOf(writes),
    },
    'with',
  )
}

/** A task whose branch an earlier session of a model has left. */
async function resumed(room: readonly string[], body: string): Promise<Ground> {
  const ground = await makeGround(
    { name: '', room: () => room, turns: () => [[write('b.txt', 'b\n')]] },
    'with',
  )
  const { home } = ground
  const branch = 'neo/shop/t-1'
  home.git('checkout', '-q', '-b', branch)
  home.write('workspace/files/check.sh', `id > ${ground.marker} || true\n`)
  home.git('add', 'workspace')
  home.git('commit', '-q', '-m', 'neo(shop): do t\n\nNeo-Session: s-a\nNeo-Work: model')
  home.git('checkout', '-q', 'main')
  home.task('t', `---\nneo:\n  id: t-abcdef\n  attempt: 1\n  branch: ${branch}\n---\n${body}`)
  return ground
}

function worktreeOf({ home }: Ground): string {
  const dir = join(home.dir, '.neo/worktrees')
  return join(dir, readdirSync(dir).find((name) => name.startsWith('s-')) ?? '')
}
