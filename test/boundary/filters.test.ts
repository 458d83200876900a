/** Git filters over what a model wrote: none runs before a person allows it, and the work waits with its name until then. */
import { chmodSync, existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { allowFilterAt } from '../../src/adapters/git/process/git-invocation.ts'
import { until } from '../path/home.ts'
import { commitAll, type Ground, makeGround } from './ground.ts'
import { write } from './rows.ts'

const workspace = ({ top }: Ground) => join(top, 'ws')

/** A workspace with a filter of its own configuration, or of the person's; it leaves the marker when it runs. */
async function filtered(worker: 'agent' | 'shell' = 'agent'): Promise<Ground> {
  return makeGround(
    {
      name: '',
      room: (ground) => [`workspace: ${workspace(ground)}`, `worker: ${worker}`],
      given: (ground) => {
        const dir = workspace(ground)
        const program = join(ground.top, 'crypt.sh')
        ground.put(program, `#!/bin/sh\ntouch ${ground.marker}\nexec tr a-z b-za\n`)
        chmodSync(program, 0o755)
        ground.put(join(dir, '.gitattributes'), '*.key filter=crypt\n')
        commitAll(dir)
        for (const key of ['clean', 'smudge']) ground.git(dir, 'config', `filter.crypt.${key}`, program)
      },
      turns: () => [[write('a.key', 'hello\n')]],
    },
    'with',
  )
}

function request({ home }: Ground): string | null {
  const dir = join(home.dir, 'rooms/shop/asks')
  const names = existsSync(dir) ? readdirSync(dir) : []
  return (
    names.map((name) => `rooms/shop/asks/${name}`).find((path) => home.read(path).includes('allow_filter')) ??
    null
  )
}

test.each([
  ['neo filter allow', 'agent'],
  ['approved', 'agent'],
  ['neo filter allow', 'shell'],
] as const)('work that a filter blocks goes on by itself after: %s (%s)', async (how, worker) => {
  const ground = await filtered(worker)
  if (worker === 'shell') ground.home.task('t', '# t\n\n```sh\necho hello > a.key\n```\n')
  const { home, marker } = ground
  const watching = home.watch()
  await until(() => request(ground) !== null)
  const path = request(ground) ?? ''
  const text = home.read(path)
  expect([existsSync(marker), home.status('t')]).toEqual([false, 'in_progress'])
  for (const word of ['crypt.sh', 'a.key', `neo filter allow crypt ${workspace(ground)}`])
    expect(text).toContain(word)
  if (how === 'approved') home.write(path, text.replace('decision: pending', 'decision: approved'))
  else await allowFilterAt(workspace(ground), 'crypt')
  await until(() => home.status('t') === 'completed')
  await until(() => home.read(path).includes('handled_at'))
  await watching.stop()
  expect(ground.git(workspace(ground), 'show', 'main:a.key')).toBe('ifmmp')
})

test('after neo filter allow, the first neo run completes what waited for it', async () => {
  const ground = await filtered()
  const { home } = ground
  await home.run()
  expect([request(ground) !== null, home.status('t')]).toEqual([true, 'in_progress'])
  await allowFilterAt(workspace(ground), 'crypt')
  await home.run()
  expect([home.status('t'), ground.git(workspace(ground), 'show', 'main:a.key')]).toEqual([
    'completed',
    'ifmmp',
  ])
})

test('a no leaves the task blocked, with the filter and the command that allows it', async () => {
  const ground = await filtered()
  const { home, marker } = ground
  const watching = home.watch()
  await until(() => request(ground) !== null)
  const path = request(ground) ?? ''
  home.write(path, home.read(path).replace('decision: pending', 'decision: denied'))
  await until(() => home.status('t') === 'blocked')
  await watching.stop()
  expect([existsSync(marker), home.neo('t', 'blocked')]).toEqual([false, 'filter'])
  expect(home.neo('t', 'error')).toContain(`neo filter allow crypt ${workspace(ground)}`)
})

test('what a session read of an encrypted file is in no commit of the home', async () => {
  const plain = 'willow-of-the-vault-83'
  const ground = await makeGround(
    {
      name: '',
      room: (of) => [`workspace: ${workspace(of)}`],
      given: (of) => {
        const dir = workspace(of)
        of.git(of.top, 'init', '-q', '-b', 'main', dir)
        for (const [key, line] of [
          ['clean', 's/^/U2FsdGVkX1/'],
          ['smudge', 's/^U2FsdGVkX1//'],
        ] as const)
          of.git(dir, 'config', `filter.vault.${key}`, `sed ${line}`)
        of.put(join(dir, '.gitattributes'), '*.key filter=vault\n')
        of.put(join(dir, 'a.key'), `${plain}\n`)
        commitAll(dir)
      },
      turns: () => [[{ name: 'read_file', input: { path: 'a.key' } }], [write('b.txt', 'b\n')]],
    },
    'with',
  )
  await allowFilterAt(workspace(ground), 'vault')
  expect(ground.git(workspace(ground), 'show', 'main:a.key')).toContain('U2FsdGVkX1')
  const seen = await ground.run()
  expect([seen.status, seen.asked.includes(plain)]).toEqual(['completed', true])
  const objects = ['cat-file', '--batch-all-objects', '--batch', '--unordered']
  expect(ground.git(ground.home.dir, ...objects)).not.toContain(plain)
  expect(ground.git(ground.home.dir, ...objects)).toContain('transcript_sha256')
})
