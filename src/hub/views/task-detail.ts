/** What only one task shows, and no list: its cost, what it waits for, and the settings that hold for it. */
import type { TaskFile } from '../../domain/plan/snapshot.ts'
import { findTask, indexOf } from '../../domain/task/depends.ts'
import { workersIn } from '../../domain/task/worker-kinds.ts'
import { openTasks } from '../../domain/task/readiness.ts'
import { settingsOf } from '../../domain/task/task-settings.ts'
import { workerText } from '../../domain/task/task.ts'
import type { TaskDetail } from './detail-shapes.ts'
import type { TaskView } from './shapes.ts'
import { viewCost } from './views.ts'
import { type Asked, waitsFor } from './waits-for.ts'

export function detailOf(file: TaskFile, asked: Asked): Omit<TaskDetail, keyof TaskView> {
  const { env, snapshot } = asked
  const { task, room } = file
  const { id, pr } = task.neo
  const { config } = snapshot
  const own = snapshot.rooms.get(room)?.room ?? null
  const settings = settingsOf(task, own, config)
  const { worker, model, workspace, review, verify } = settings
  return {
    pullRequest: pr ?? null,
    cost: id === undefined ? null : viewCost(env.usage.ofTask(id)),
    waitsFor: [...waitsFor(file, asked)],
    ...neighboursOf(file, asked),
    workers: workersIn({ config, room: own, roomName: room }),
    settings: {
      worker: workerText(worker),
      model: model === 'rules' ? 'none' : model,
      workspace,
      review,
      verify: [...verify],
    },
  }
}

function neighboursOf(
  file: TaskFile,
  { snapshot, isSeen }: Asked,
): Pick<TaskDetail, 'dependencies' | 'dependents'> {
  const index = indexOf(snapshot.tasks)
  const dependencies = file.task.dependsOn.map((name) => {
    const found = findTask(index, name, file.room)
    return found.kind === 'one' && isSeen(found.file.room)
      ? neighbour(name, found.file)
      : { name, id: null, title: null, status: null }
  })
  const waiting = [...openTasks(snapshot)].filter(
    ({ task, room }) =>
      isSeen(room) && task.dependsOn.some((name) => isSame(findTask(index, name, room), file)),
  )
  return { dependencies, dependents: waiting.map((one) => neighbour(one.name, one)) }
}

function isSame(found: ReturnType<typeof findTask>, { path }: TaskFile): boolean {
  return found.kind === 'one' && found.file.path === path
}

function neighbour(name: string, { task, path }: TaskFile): TaskDetail['dependencies'][number] {
  return { name, id: task.neo.id ?? path, title: task.title, status: task.status }
}
