import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runSession } from '../../src/runner/run-session.ts'
import { running, until } from '../adapters/processes/builders.ts'
import { bench, git, put } from './builders.ts'

const say = (word: string) => `echo ${word} >>"$EFFECTS"`

describe('runSession()', () => {
  test('runs the steps in order and commits what they changed', async () => {
    const { record, deps, seen, onBranch } = bench([
      say('one'),
      `${say('two')}; echo new >made; echo all fine`,
    ])
    expect(await runSession(record, deps)).toMatchObject({
      kind: 'done',
      changed: 'yes',
      result: '2 steps passed: all fine',
    })
    expect({ seen: seen(), made: onBranch('shop/made') }).toEqual({ seen: 'one\ntwo\n', made: 'new\n' })
  })

  test('is done without a change when nothing changed', async () => {
    const { record, deps } = bench(['true'])
    const outcome = await runSession(record, deps)
    expect(outcome).toMatchObject({ kind: 'done', changed: 'no', result: '1 step passed' })
    expect(outcome !== 'left' && outcome.kind === 'done' && outcome.commit === outcome.from).toBe(true)
  })

  test('fails at the first failing step, and keeps its work on the branch', async () => {
    const { record, deps, seen, onBranch } = bench([
      'echo half >half; echo no such thing; exit 3',
      say('two'),
    ])
    expect(await runSession(record, deps)).toMatchObject({
      kind: 'failed',
      why: 'step',
      error: 'Step "step 1" (line 10) ended with exit code 3: no such thing',
      tail: 'no such thing\n',
    })
    expect({ seen: seen(), half: onBranch('shop/half') }).toEqual({ seen: '', half: 'half\n' })
  })

  test('goes on after a failing step that may fail', async () => {
    const { record, deps, seen } = bench([{ script: 'exit 3', continueOnError: 'yes' }, say('two')])
    expect(await runSession(record, deps)).toMatchObject({ kind: 'done', result: '1 of 2 steps passed' })
    expect(seen()).toBe('two\n')
  })

  test.each([
    ['sh', 'false; echo after', 'failed'],
    ['sh', 'false | true', 'done'],
    ['bash', 'false | true', 'failed'],
    ['bash', '[[ a == a ]]', 'done'],
  ] as const)('runs a %s block %j to %s', async (shell, script, kind) => {
    const { record, deps } = bench([{ shell, script }])
    expect(await runSession(record, deps)).toMatchObject({ kind })
  })

  test('runs steps in the workspace folder with an environment of named variables', async () => {
    const { record, deps, seen } = bench([
      '{ pwd; echo "$NEO_TASK $NEO_ROOM $TERM [$SECRET]"; } >>"$EFFECTS"',
    ])
    await runSession(record, deps)
    expect(seen()).toBe(`${join(deps.dirs.worktree, 'shop')}\nt-abc123 shop dumb []\n`)
  })

  test('runs setup before the steps and cleanup at the end', async () => {
    const lines = { setup: [say('setup')], cleanup: [say('cleanup')], verify: [say('check')] }
    const { record, deps, seen } = bench([say('step')], lines)
    expect(await runSession(record, deps)).toMatchObject({
      kind: 'done',
      result: '1 step and 1 check passed',
    })
    expect(seen()).toBe('setup\nstep\ncheck\ncleanup\n')
  })

  test('fails for setup without running a step, but with cleanup', async () => {
    const lines = { setup: ['echo broken; exit 1'], cleanup: [say('cleanup')] }
    const { record, deps, seen } = bench([say('step')], lines)
    expect(await runSession(record, deps)).toMatchObject({
      kind: 'failed',
      why: 'setup',
      error: 'Setup "echo broken; exit 1" ended with exit code 1: broken',
    })
    expect(seen()).toBe('cleanup\n')
  })

  test('fails for a red check, with all checks recorded', async () => {
    const { record, deps } = bench(['true'], { verify: ['true', 'exit 2', 'echo bad; exit 1'] })
    const outcome = await runSession(record, deps)
    expect(outcome).toMatchObject({
      kind: 'failed',
      why: 'verify',
      error: '2 of 3 checks failed: Check "exit 2" ended with exit code 2',
    })
    expect(
      outcome !== 'left' && outcome.kind === 'failed' && outcome.checks.map((c) => [c.command, c.exitCode]),
    ).toEqual([
      ['true', 0],
      ['exit 2', 2],
      ['echo bad; exit 1', 1],
    ])
  })

  test('fails for the step that takes longer than it may', async () => {
    const { record, deps } = bench([{ script: 'sleep 600', timeoutMs: 200 }])
    expect(await runSession(record, deps)).toMatchObject({
      kind: 'failed',
      why: 'step',
      error: 'Step "step 1" (line 10) timed out after 200ms',
    })
  })

  test('fails for the time of the whole task', async () => {
    const { record, deps } = bench(['sleep 600', say('two')], { timeoutMs: 1000 })
    const error = 'Timed out after 1s in Step "step 1" (line 10)'
    expect(await runSession(record, deps)).toMatchObject({ kind: 'failed', why: 'timeout', error })
  })

  test('stops when asked, and keeps what was done', async () => {
    const { record, deps, seen, onBranch } = bench(['echo half >half; sleep 600', say('two')])
    const stop = new AbortController()
    const running = runSession(record, { ...deps, signal: stop.signal })
    await until(() => existsSync(join(deps.dirs.worktree, 'shop/half')))
    stop.abort('the task was cancelled')
    expect(await running).toMatchObject({ kind: 'stopped', why: 'the task was cancelled' })
    expect({ seen: seen(), half: onBranch('shop/half') }).toEqual({ seen: '', half: 'half\n' })
  })

  test('ends what a step left running', async () => {
    const word = `4321.${process.pid}`
    const { record, deps } = bench([
      `setsid sleep ${word} & until ps ax | grep -c "[s]leep ${word}"; do sleep 0.05; done`,
    ])
    expect(await runSession(record, deps)).toMatchObject({ kind: 'done', result: '1 step passed: 1' })
    expect(running(word)).toBe(0)
  })

  test('gives a written outcome again and does nothing', async () => {
    const { record, deps, seen, entries } = bench([say('one')])
    const first = await runSession(record, deps)
    const before = entries()
    expect(await runSession(record, deps)).toEqual(first)
    expect({ seen: seen(), entries: entries() }).toEqual({ seen: 'one\n', entries: before })
  })

  test('detaches the worktree, so that people can check the branch out', async () => {
    const { record, deps, repository } = bench(['echo x >x'])
    await runSession(record, deps)
    git(repository, 'checkout', '-q', record.branch)
    expect(existsSync(join(repository, 'shop', 'x'))).toBe(true)
  })

  test('reports a step that changes the repository configuration or a hook', async () => {
    const script =
      'git config core.fsmonitor x; echo echo >"$(git rev-parse --git-common-dir)/hooks/pre-commit"'
    const { record, deps, lines } = bench([script])
    const warning = 'Step "step 1" (line 10) changed .git/config, .git/hooks/pre-commit'
    expect(await runSession(record, deps)).toMatchObject({ result: `1 step passed; ${warning}` })
    expect(lines).toEqual([warning])
  })

  test('fails for the place when git cannot make the worktree', async () => {
    const { record, deps } = bench([say('one')], {})
    put(deps.dirs.worktree, { 'in/the/way': '' })
    await expect(runSession(record, deps)).rejects.toThrow(/worktree/)
  })

  test('writes the transcript as a chain of entries', async () => {
    const { record, deps, entries } = bench(['echo hi'], { verify: ['exit 1'] })
    await runSession(record, deps)
    const all = entries()
    expect(all.map((entry) => entry['type'])).toEqual(
      'start tool_call tool_result tool_call verify error end'.split(' '),
    )
    expect(all.map((entry) => entry['parent'])).toEqual([
      null,
      ...all.slice(0, -1).map((entry) => entry['id']),
    ])
  })
})
