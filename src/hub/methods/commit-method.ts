/** commit.get: what a commit of a task changed. */
import { z } from 'zod'
import { look, method } from '../env.ts'
import { taskCommit } from '../timeline/task-commits.ts'
import { missing, taskOf } from '../views/find-in-home.ts'
import { taskId } from '../views/shapes.ts'

/** Longer diffs are cut: they are for eyes. */
const MOST_DIFF = 1_000_000

export const commitGet = method({
  name: 'commit.get',
  summary: 'Get a commit of a task',
  details:
    'What it changed: all files, if it is work of a session; otherwise the file of the task, or files of its room. `task.story` has the commits of a task.',
  params: z.strictObject({
    taskId,
    commit: z
      .string()
      .regex(/^[0-9a-f]{40,64}$/)
      .describe('As in `task.story`'),
  }),
  result: z.strictObject({
    commit: z.string(),
    at: z.string(),
    author: z.string(),
    subject: z.string(),
    diff: z.string(),
    cut: z.boolean().describe('The diff is longer than 1 MB, and this is its beginning'),
  }),
  act: 'see',
  resource: async (env, { taskId }) => ({ room: taskOf(await look(env), taskId).room }),
  run: async (env, { taskId, commit }) => {
    const snapshot = await look(env)
    const found = await taskCommit({ env, snapshot, file: taskOf(snapshot, taskId) }, commit)
    if (found === null) throw missing('commit', commit)
    const { entry, diff } = found
    const at = new Date(entry.committed).toISOString()
    const { author, subject } = entry
    return { commit, at, author, subject, diff: diff.slice(0, MOST_DIFF), cut: diff.length > MOST_DIFF }
  },
})
