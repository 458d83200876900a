/** What only one task shows, and no list: its cost, what it waits for, and the settings that hold for it. */
import type { TaskFile } from '../../domain/plan/snapshot.ts'
import { settingsOf } from '../../domain/task/task-settings.ts'
import { workerText } from '../../domain/task/task.ts'
import type { TaskDetail, TaskView } from './shapes.ts'
import { viewCost } from './views.ts'
import { type Asked, waitsFor } from './waits-for.ts'

export function detailOf(file: TaskFile, asked: Asked): Omit<TaskDetail, keyof TaskView> {
  const { env, snapshot } = asked
  const { task, room } = file
  const { id, pr } = task.neo
  const settings = settingsOf(task, snapshot.rooms.get(room)?.room ?? null, snapshot.config)
  const { worker, model, workspace, review, verify } = settings
  return {
    pullRequest: pr ?? null,
    cost: id === undefined ? null : viewCost(env.usage.ofTask(id)),
    waitsFor: [...waitsFor(file, asked)],
    settings: { worker: workerText(worker), model, workspace, review, verify: [...verify] },
  }
}
