/**
 * `neo task delete`: removes task files. What runs for them is stopped by the daemon; history stays in git.
 */
import { join } from 'node:path'
import { removeFile } from '../edit-file.ts'
import { openAct } from '../rpc/act.ts'
import type { Call } from '../spec.ts'
import { openDesk } from './open.ts'

export async function remove(call: Call): Promise<number> {
  const desk = await openDesk(call)
  const act = openAct(call, desk)
  const paths: string[] = []
  for (const typed of call.args) paths.push(await desk.find(typed))
  const unique = [...new Set(paths)]
  for (const path of unique)
    await act({
      method: 'task.delete',
      params: { taskId: path },
      shown: () => {},
      byFiles: () => removeFile(desk.files, join(desk.home, path)),
    })
  call.out.data('task.delete', unique)
  for (const path of unique) call.out.line(path, { text: 'is deleted; git keeps what it was', style: 'dim' })
  return 0
}
