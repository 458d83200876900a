/**
 * `neo wait`: waits until tasks end. It reads only the files, so it is the same with and without a daemon.
 */
import { join } from 'node:path'
import { ENDED, type TaskStatus } from '../../domain/task/task.ts'
import { readTask } from '../../files/kinds/read-task.ts'
import { INTERRUPTED } from '../cli-failure.ts'
import { MAX_BYTES } from '../edit-file.ts'
import { durationOption } from '../option-values.ts'
import { onInterrupt, pause } from '../signals.ts'
import type { Call } from '../spec.ts'
import { statusCell } from '../task/task-cells.ts'
import { taskSummaries } from '../task/task-list-cache.ts'
import { openTaskLookup, type TaskLookup } from '../task/task-lookup.ts'
import { labelOf } from '../task/task-paths.ts'

const LOOK_MS = 200

type Seen = TaskStatus | 'gone'

export async function wait(call: Call): Promise<number> {
  const lookup = await openTaskLookup(call)
  const timeoutMs = durationOption(call, 'timeout')
  const paths = await wanted(call, lookup)
  const seen = new Map<string, Seen>()
  const interrupt = onInterrupt(call, '')
  const end = timeoutMs === null ? Number.POSITIVE_INFINITY : performance.now() + timeoutMs
  try {
    for (;;) {
      for (const path of paths) look(call, lookup, { path, seen })
      const left = paths.filter((path) => !hasEnded(seen.get(path)))
      if (left.length === 0) break
      if (interrupt.signal.aborted) return INTERRUPTED
      if (performance.now() >= end) return timedOut(call, left, seen)
      call.out.progress(`${left.length} of ${paths.length} left: ${left.map(labelOf).join(', ')}`)
      await pause(Math.min(LOOK_MS, Math.max(1, end - performance.now())), interrupt.signal)
    }
  } finally {
    call.out.progress(null)
    interrupt.release()
  }
  call.out.data('wait', dataOf(paths, seen))
  return [...seen.values()].every((status) => status === 'completed') ? 0 : 1
}

async function wanted(call: Call, lookup: TaskLookup): Promise<readonly string[]> {
  if (call.args.length > 0) return await lookup.findAll(call.args)
  return taskSummaries(lookup.cache).flatMap((summary) =>
    summary.kind === 'ok' && ['pending', 'in_progress'].includes(summary.head.status) ? [summary.path] : [],
  )
}

/** While a file is being written or is broken, its last known status counts. */
function look(
  call: Call,
  lookup: TaskLookup,
  { path, seen }: { path: string; seen: Map<string, Seen> },
): void {
  const read = lookup.files.read(join(lookup.home, path), MAX_BYTES)
  const task = read.kind === 'file' ? readTask(path, read.bytes, lookup.zone) : null
  const now: Seen | undefined =
    read.kind === 'missing' ? 'gone' : task?.kind === 'ok' ? task.value.status : seen.get(path)
  const before = seen.get(path)
  if (now === undefined || now === before) return
  seen.set(path, now)
  if (!hasEnded(now)) return
  call.out.progress(null)
  const error = task?.kind === 'ok' ? (task.value.neo.error ?? task.value.neo.result ?? '') : ''
  call.out.line(labelOf(path), now === 'gone' ? { text: 'deleted', style: 'red' } : statusCell(now), error)
}

function hasEnded(status: Seen | undefined): boolean {
  return status === 'gone' || (status !== undefined && ENDED.has(status))
}

function timedOut(call: Call, left: readonly string[], seen: ReadonlyMap<string, Seen>): number {
  call.out.progress(null)
  call.out.data('wait', dataOf([...seen.keys()], seen))
  call.out.error('neo', `Timeout: ${left.length} of the tasks have not ended`)
  call.out.error(
    'why',
    left.map((path) => `${labelOf(path)} is ${seen.get(path) ?? 'unreadable'}`).join(', '),
  )
  call.out.error('next', 'neo status')
  return 1
}

function dataOf(paths: readonly string[], seen: ReadonlyMap<string, Seen>): unknown {
  return paths.map((path) => ({ path, status: seen.get(path) ?? null }))
}
