/**
 * The channel `task:ID:state`: a stamp that changes when the file of a task does, one of its requests, its cost, or what it
 * waits for. It tells that something is new, not what: `task.get` and `task.story` do.
 */
import type { Snapshot, TaskFile } from '../../domain/plan/snapshot.ts'
import { indexOf } from '../../domain/task/depends.ts'
import type { HubEnv } from '../env.ts'
import { waitsFor } from '../views/waits-for.ts'

/** Empty for a task that is gone. */
export function taskStamp(env: HubEnv, snapshot: Snapshot, id: string) {
  const file = fileOf(snapshot, id)
  if (file === undefined) return { task: {} }
  const { id: own = '' } = file.task.neo
  const asks = [...snapshot.asks.values()].filter(({ ask }) => ask.task === own).map(({ hash }) => hash)
  const waits = waitsFor(file, { env, snapshot, isSeen: () => true })
  const { calls } = env.usage.ofTask(own)
  const bytes = Buffer.from(JSON.stringify([file.path, file.hash, asks, waits, calls]))
  return { task: { [id]: { stamp: env.context.world.git.blobId(bytes) } } }
}

function fileOf({ tasks }: Snapshot, id: string): TaskFile | undefined {
  const { originals, byId } = indexOf(tasks)
  return tasks.get(id) ?? originals.get(id) ?? byId.get(id)?.[0]
}
