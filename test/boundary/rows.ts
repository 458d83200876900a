/** A row of the boundary's tables: how a session attacks. The harness in ground.ts checks that it gained nothing. */
import { expect, test } from 'vitest'
import { UNCONFINED } from '../path/confined.ts'
import type { Call } from '../path/model.ts'
import { checkGround, type Ground, makeGround, type Seen } from './ground.ts'

export interface Row {
  readonly name: string
  /** Lines of the room's header, beside `worker: agent` and `review: none`. Default: none. */
  readonly room?: (ground: Ground) => readonly string[]
  /** What a person has made before: a workspace, configuration, attributes. Runs before the session. */
  readonly given?: (ground: Ground) => void
  /** Files that are committed in the home before the session, by path. */
  readonly files?: Readonly<Record<string, string>>
  /** The model's turns; each is the calls of one answer. After the last one it finishes the task. */
  readonly turns: (ground: Ground) => readonly (readonly Call[])[]
  /** `both`: with bubblewrap and without. Rows whose calls run commands need it. Default: `with`. */
  readonly confined?: 'with' | 'without' | 'both'
  /** What must be true besides what every row is checked for. */
  readonly held?: (ground: Ground, seen: Seen) => void | Promise<void>
}

/** A call that writes a file of the workspace. */
export function write(path: string, content: string): Call {
  return { name: 'write_file', input: { path, content } }
}

/** A call that runs a command line in the sandbox. */
export function shell(command: string): Call {
  return { name: 'shell', input: { command, timeout_s: 30 } }
}

/** Makes a test of each row, and of each way to run it. */
export function boundary(rows: readonly Row[]): void {
  for (const row of rows) {
    const ways = row.confined === 'both' ? (['with', 'without'] as const) : [row.confined ?? 'with']
    for (const way of ways) {
      const skipped = way === 'with' && UNCONFINED !== null
      test.skipIf(skipped)(`${row.name} (${way} bubblewrap)`, () => holds(row, way), 60_000)
    }
  }
}

async function holds(row: Row, way: 'with' | 'without'): Promise<void> {
  const ground = await makeGround(row, way)
  const seen = await ground.run()
  checkGround(ground, seen)
  await row.held?.(ground, seen)
  expect(seen.exitCode).toBeLessThan(2)
}
