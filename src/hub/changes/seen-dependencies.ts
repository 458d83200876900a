/**
 * What a task of a caller with access to some rooms may depend on: tasks that they see. Else the task's start would tell
 * whether a hidden task exists and is completed. Hidden and missing are refused in the same words. The name is stored
 * with its room, so that it never means a task of another room later.
 */
import { findTask, indexOf } from '../../domain/task/depends.ts'
import type { Principal } from '../../domain/policy/policy-acts.ts'
import type { Snapshot } from '../../domain/plan/snapshot.ts'
import type { HubEnv } from '../env.ts'
import { badParams } from '../hub.ts'
import { isLimited, seenPart } from '../views/without-hidden.ts'

interface Named<N> {
  readonly snapshot: Snapshot
  /** Of the task that depends on them. */
  readonly room: string
  readonly names: N
  /** Names that the task has already, no matter who wrote them. */
  readonly kept?: readonly string[]
}

/** Throws HubError `params`. Other callers' names stay as they are. */
export function seenDependencies<N extends readonly string[] | null | undefined>(
  env: HubEnv,
  principal: Principal,
  { snapshot, room, names, kept = [] }: Named<N>,
): { readonly dependsOn?: readonly string[] | N } {
  if (names === undefined) return {}
  if (names === null || !isLimited(env, principal)) return { dependsOn: names }
  const index = indexOf(seenPart(env, snapshot, principal).tasks)
  const dependsOn = names.map((name) => {
    if (kept.includes(name)) return name
    const found = findTask(index, name, room)
    if (found.kind !== 'one')
      throw badParams(
        ['dependsOn'],
        `"${name}" is not the name of one task that you can see: use its id, or room/name`,
      )
    const { file } = found
    return file.task.neo.id === name ? name : `${file.room}/${file.name}`
  })
  return { dependsOn }
}
