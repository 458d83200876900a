/** Confinement follows authorship: what a model wrote runs confined also once a person approved it. */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { composeWorld } from '../../src/compose.ts'
import { UNCONFINED } from './confined.ts'
import { type Home, makeHome, runbook, until } from './home.ts'

const ROOM =
  '---\nname: Shop\nworker: shell\nreview: none\nenv: [SHOP_KEY, SHOP_NAME]\nverify: [". ./line"]\ncleanup: [". ./line"]\n---\n'

/**
 * A runbook that tries to leave its worktree, itself and by a file of its own that the room's checks and cleanup run, with
 * the author that the task's file names.
 */
function reaching(author: string): { readonly home: Home; readonly outside: string } {
  const home = makeHome({ 'rooms/shop/ROOM.md': ROOM })
  home.write('.env', 'SHOP_KEY=hid\nSHOP_NAME=shown\n')
  const outside = join(tmpdir(), `neo-outside-${process.pid}-${author}`)
  const script = [
    `echo 'echo line >> "${outside}" || true' > line`,
    `echo step >> "${outside}" || true`,
    'cat "$NEO_HOME/neo.yaml" > config.txt 2> /dev/null || true',
    'echo "$SHOP_NAME,$SHOP_KEY" > env.txt',
  ]
  home.task('a', runbook([script.join('\n')], ['neo:', `  created_by: ${author}`]))
  return { home, outside }
}

function approve(home: Home): void {
  for (const path of asks(home))
    home.write(path, home.read(path).replace('decision: pending', 'decision: approved'))
}

function asks(home: Home): readonly string[] {
  return readdirSync(join(home.dir, 'rooms/shop/asks')).map((name) => `rooms/shop/asks/${name}`)
}

const seen = ({ home, outside }: ReturnType<typeof reaching>) => {
  const there = existsSync(outside) ? readFileSync(outside, 'utf8').trim().split('\n') : []
  rmSync(outside, { force: true })
  return {
    status: home.status('a'),
    outside: there,
    config: home.read('workspace/files/config.txt') !== '',
    env: home.read('workspace/files/env.txt').trim(),
  }
}

/** The step, a check, and the cleanup. */
const ALL = ['step', 'line', 'line']

test.skipIf(UNCONFINED !== null).each(['neo', 'editor', 'session:s-abc123'])(
  'an approved runbook of %s stays in its worktree and sees no key',
  async (author) => {
    const made = reaching(author)
    await made.home.run()
    approve(made.home)
    await made.home.run()
    expect(seen(made)).toEqual({ status: 'completed', outside: [], config: false, env: 'shown,' })
  },
)

test('a runbook of a person runs as the person', async () => {
  const made = reaching('human')
  await made.home.run()
  expect(seen(made)).toEqual({ status: 'completed', outside: ALL, config: true, env: 'shown,hid' })
})

test('where nothing confines, what was approved runs after a yes to its commit, and its result says so', async () => {
  const made = reaching('neo')
  await made.home.run()
  approve(made.home)
  const whole = await composeWorld(made.home.dir)
  const sandbox = {
    available: async () => ({ wrong: 'nothing confines', next: 'Install it' }),
    wrap: (argv: readonly [string, ...string[]]) => argv,
  }
  const world = whole.agent === undefined ? whole : { ...whole, agent: { ...whole.agent, sandbox } }
  const daemon = made.home.watch({ world })
  await until(() => asks(made.home).some((path) => made.home.read(path).includes('run_unconfined')))
  expect(existsSync(made.outside)).toBe(false)
  approve(made.home)
  await until(() => made.home.status('a') === 'completed')
  const { events } = await daemon.stop()
  expect(seen(made)).toMatchObject({ status: 'completed', outside: ALL })
  const [session = ''] = made.home.git('ls-files', 'rooms/shop/sessions').split('\n')
  const said = `${made.home.read(session)}\n${events.map(({ text }) => text).join('\n')}`
  expect(said).toContain('ran without a sandbox')
})
