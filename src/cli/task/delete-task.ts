/**
 * `neo task delete`: removes task files. What runs for them is stopped by the daemon; history stays in git.
 */
import { withHub } from '../rpc/with-hub.ts'
import type { Call } from '../spec.ts'
import { openTaskLookup } from './task-lookup.ts'

export async function remove(call: Call): Promise<number> {
  const lookup = await openTaskLookup(call)
  const paths: string[] = []
  for (const typed of call.args) paths.push(await lookup.find(typed))
  const unique = [...new Set(paths)]
  await withHub(call, async (hub) => {
    for (const path of unique) await hub.call('task.delete', { taskId: path })
  })
  call.out.data('task.delete', unique)
  for (const path of unique) call.out.line(path, { text: 'is deleted; git keeps its history', style: 'dim' })
  return 0
}
