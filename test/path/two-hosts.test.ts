/** Two clones of one home, a daemon in each, in step over a real bare remote: no task runs twice, both come to rest. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { fillHome, type Home, openHome, runbook, until } from './home.ts'

const CONFIG = 'daemon: { branch: main, node: first, settle: 0s, rescan: 1s, sync: 300ms }\n'
const NAMES = ['a', 'b', 'c', 'd', 'e', 'f']

function twoClones(): { readonly root: string; readonly one: Home; readonly two: Home } {
  const root = mkdtempSync(join(tmpdir(), 'neo-hosts-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }))
  const bare = join(root, 'bare.git')
  execFileSync('git', ['init', '-q', '--bare', '-b', 'main', bare])
  mkdirSync(join(root, 'one'))
  const one = fillHome(join(root, 'one'), { 'neo.yaml': CONFIG })
  one.write('.env', 'NEO_NODE=first\n')
  one.git('remote', 'add', 'origin', bare)
  one.git('push', '-q', 'origin', 'main')
  execFileSync('git', ['clone', '-q', bare, join(root, 'two')])
  const two = openHome(join(root, 'two'))
  two.git('config', 'user.name', 'Second')
  two.git('config', 'user.email', 'second@localhost')
  two.write('.env', 'NEO_NODE=second\n')
  return { root, one, two }
}

test('two daemons share the tasks that people write at either: each runs once', async () => {
  const { root, one, two } = twoClones()
  const [first, second] = [one.watch(), two.watch()]
  await Promise.all([first.ready(), second.ready()])
  for (const [at, name] of NAMES.entries()) {
    const effect = `echo ${name} >> ${name}.txt; echo ${name} >> ${root}/ran`
    ;(at % 2 === 0 ? one : two).task(name, runbook([effect]))
  }
  const ended = (home: Home) => NAMES.every((name) => home.status(name) === 'completed')
  await until(() => ended(one) && ended(two), 60_000)
  const tips = () => [one.git('rev-parse', 'main'), two.git('rev-parse', 'main')]
  await until(() => tips()[0] === tips()[1], 20_000)
  const ran = execFileSync('sort', [join(root, 'ran')], { encoding: 'utf8' })
    .trim()
    .split('\n')
  expect(ran).toEqual(NAMES)
  const troubles = [...first.events, ...second.events].filter(
    ({ kind }) => kind === 'trouble' || kind === 'fail',
  )
  expect(troubles).toEqual([])
  await Promise.all([first.stop(), second.stop()])
  expect([
    one.git('fsck', '--strict', '--no-dangling'),
    two.git('fsck', '--strict', '--no-dangling'),
  ]).toEqual(['', ''])
})
