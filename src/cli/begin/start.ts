/**
 * `neo start`, behind `npm start`: ./home with the package's own rooms, made where it is missing, then watched.
 */
import { join } from 'node:path'
import { composeFiles } from '../../compose.ts'
import { watchHome } from '../daemon/run.ts'
import type { Call } from '../spec.ts'
import { makeHome } from './make-home.ts'

export async function start(call: Call): Promise<number> {
  const home = join(call.around.cwd, 'home')
  if (composeFiles().read(join(home, 'neo.yaml'), 0).kind === 'missing') {
    const made = await makeHome({
      dir: home,
      rooms: 'all',
      room: null,
      env: call.around.env,
      version: call.around.version,
    })
    call.out.note(`Made ${made.home} with its first tasks (${made.written.length} files).`)
  }
  return watchHome(call, home)
}
