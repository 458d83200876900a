/**
 * Builders for the tests of processes: step folders, requests, and conditions to wait for.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll } from 'vitest'
import type { StepRequest } from '../../../src/ports/process-port.ts'
import { MOMENT_MS } from '../../wait.ts'

const made: string[] = []
let count = 0

afterAll(() => {
  for (const dir of made.splice(0)) rmSync(dir, { recursive: true, force: true })
})

/** A fresh folder that goes when the file's tests are over. */
export function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'neo-step-'))
  made.push(dir)
  return dir
}

/** A step that runs `script` in a fresh folder, with a session of its own. */
export function request(script: string, over: Partial<StepRequest> = {}): StepRequest {
  const root = folder()
  count += 1
  return {
    dir: join(root, 'steps', 'step-0'),
    argv: ['/bin/sh', '-e', '-c', script],
    cwd: root,
    env: { PATH: process.env['PATH'] ?? '' },
    session: `s-test${process.pid}x${count}`,
    deadline: Date.now() + 60_000,
    outputLimit: 1 << 20,
    ...over,
  }
}

/** A signal that nobody aborts. */
export function never(): AbortSignal {
  return new AbortController().signal
}

/** Waits until `holds` gives true. */
export async function until(holds: () => boolean): Promise<void> {
  const end = Date.now() + MOMENT_MS
  while (!holds()) {
    if (Date.now() > end) throw new Error(`Not so within ${MOMENT_MS} ms: ${holds}`)
    await delay(10)
  }
}

/** Text of a file; '' where it is missing. */
export function text(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** Living processes that have `word` as one whole argument, whatever their environment. Zombies have none. */
export function running(word: string): number {
  return readdirSync('/proc').filter(
    (pid) => /^\d+$/.test(pid) && text(`/proc/${pid}/cmdline`).split('\0').includes(word),
  ).length
}
