/** Which git commands of a person are seen, however they began. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { personsGit } from '../../../src/adapters/git/commit/persons-git.ts'
import { until } from '../../path/home.ts'

test.runIf(existsSync('/proc/self/cmdline'))('a shell that becomes git by exec is seen at once', async () => {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'neo-exec-')))
  const tree = { top, gitDir: join(top, '.git') }
  const go = join(top, 'go')
  const script = 'git init -q; while ! test -e go; do sleep 0.05; done; exec git commit --allow-empty'
  const editor = `sh -c 'while test -e ${go}; do sleep 0.05; done; false'`
  const child = spawn('sh', ['-c', script], { cwd: top, env: { ...process.env, GIT_EDITOR: editor } })
  const ended = new Promise((resolve) => child.once('close', resolve))
  onTestFinished(async () => {
    rmSync(go, { force: true })
    child.kill()
    await ended
    rmSync(top, { recursive: true, force: true })
  })
  const began = Date.now()
  // So long that it counts as no git, which is not looked at again for a while.
  await until(() => personsGit(tree) === null && Date.now() - began > 2_500)
  writeFileSync(go, '')
  await until(() => readFileSync(`/proc/${child.pid}/cmdline`, 'utf8').startsWith('git\0commit'))
  expect(personsGit(tree, 'all')).toMatchObject({ verb: 'commit', pid: child.pid })
})

test.runIf(existsSync('/proc/self/cmdline')).each([
  ['gc --prune=now', 'gc'],
  ['gc --quiet', undefined],
  ['gc --prune=2.weeks.ago', undefined],
  ['prune', 'prune'],
  ['prune --expire now', 'prune'],
  ['prune --expire 2.weeks.ago', undefined],
])('git %s is waited for only if it deletes what is new', async (command, verb) => {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'neo-prune-')))
  mkdirSync(join(top, '.git'))
  const args = ['--eval=console.log(1); setInterval(() => {}, 1000)', ...command.split(' ')]
  const child = spawn(process.execPath, args, { argv0: 'git', cwd: top })
  onTestFinished(() => {
    child.kill()
    rmSync(top, { recursive: true, force: true })
  })
  await once(child.stdout, 'data')
  expect(personsGit({ top, gitDir: join(top, '.git') }, 'all')?.verb).toBe(verb)
})
