/**
 * `neo start`, behind `npm start`: ./home with the package's own rooms, made where it is missing, then watched.
 * Says what to try with a model, or how to get one.
 */
import { join } from 'node:path'
import { composeFiles } from '../../compose.ts'
import { readHomeConfig } from '../config/read-config-file.ts'
import { watchHome } from '../daemon/run-daemon.ts'
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
      agree: async () => false,
    })
    call.out.note(`Made ${made.home} with its first tasks (${made.written.length} files).`)
  }
  return watchHome(call, home, tipsFor(call, home))
}

/** A broken neo.yaml is told by the daemon. */
function tipsFor({ around }: Call, home: string): readonly string[] {
  const files = composeFiles()
  const read = readHomeConfig(home, files, around.env)
  if (read.kind !== 'ok') return []
  const { model } = read.value
  if (model === 'rules')
    return [
      'No model is set, and none is needed for runbooks. With ANTHROPIC_API_KEY (or model: in home/neo.yaml) agents work too: docs/agents.md.',
    ]
  const desk = files.read(join(home, 'rooms/desk/ROOM.md'), 0).kind !== 'missing'
  return [
    `Model: ${model} (node dist/main.js doctor asks whether it answers).`,
    ...(desk
      ? [
          'An agent: in home/rooms/desk/tasks/tips.md set status: pending. Neo himself: node dist/main.js say desk "What is this home for?" --wait',
        ]
      : []),
  ]
}
