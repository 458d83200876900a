import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runSession } from '../../src/runner/run-session.ts'
import { running, text, until } from '../adapters/processes/builders.ts'
import { bench, counted, LINES } from './builders.ts'

describe('runSession()', () => {
  test('runs each command once when the process is killed with SIGKILL again and again', async () => {
    const made = counted('0.4')
    const file = join(made.root, 'record.json')
    writeFileSync(file, JSON.stringify(made.record))
    for (let life = 0; !text(join(made.deps.dirs.session, 'outcome.json')).endsWith('}\n'); life += 1) {
      const script = resolve('dist/tests/session-process.js')
      const child = spawn(process.execPath, [script, made.root, file], { stdio: 'inherit' })
      const lines = made.seen().split('\n').length
      const over = () => made.seen().split('\n').length > lines || child.exitCode !== null
      if (life < 6) await until(over)
      else await once(child, 'exit')
      child.kill('SIGKILL')
    }
    expect(made.seen().trim().split('\n')).toEqual(LINES)
  })

  test('is unknown when the supervisor of a step was killed, and ends what it left', async () => {
    const word = `5432.${process.pid}`
    const { record, deps, seen } = bench([`sleep ${word}`, 'echo two >>"$EFFECTS"'])
    const done = runSession(record, deps)
    const claim = join(deps.dirs.session, 'steps', 'step-0', 'claim')
    await until(() => text(claim).endsWith('\n') && running(word) > 0)
    process.kill(JSON.parse(text(claim)).pid, 'SIGKILL')
    expect(await done).toMatchObject({
      kind: 'unknown',
      step: 'step 1',
      error: 'Step "step 1" (line 10) was interrupted: it started, and it is unknown how it ended',
    })
    expect({ left: running(word), seen: seen() }).toEqual({ left: 0, seen: '' })
  })

  test('is unknown when a step is claimed by a supervisor of an earlier boot', async () => {
    const { record, deps, seen } = bench(['echo one >>"$EFFECTS"'])
    const stop = new AbortController()
    const on = { ...deps.on, progress: () => stop.abort('leave') }
    expect(await runSession(record, { ...deps, on, signal: stop.signal })).toBe('left')
    const dir = join(deps.dirs.session, 'steps', 'step-0')
    mkdirSync(dir, { recursive: true })
    writeFileSync(join(dir, 'claim'), '{"pid":1,"startTime":"1","bootId":"earlier"}\n')
    expect(await runSession(record, deps)).toMatchObject({ kind: 'unknown' })
    expect(seen()).toBe('')
  })
})
