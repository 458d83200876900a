/**
 * `neo start`, behind `npm start`: creates ./home with the example rooms if it is missing, and runs the daemon.
 */

import { join } from 'node:path'
import { composeFiles } from '../../compose.ts'
import { counted } from '../../domain/text/counted.ts'
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
    call.out.note(
      `Created a Neo home in ${made.home}, with example tasks (${counted(made.written.length, 'file')}).`,
    )
  }
  return watchHome(call, home, tipsFor(call, home))
}

/** What to try with a model, or how to get one. The daemon reports a broken neo.yaml. */
function tipsFor({ around }: Call, home: string): readonly string[] {
  const files = composeFiles()
  const read = readHomeConfig(home, files, around.env)
  if (read.kind !== 'ok') return []
  const { model } = read.value
  if (model === 'rules')
    return [
      'No model is set. Scripts need none. To use agents, set ANTHROPIC_API_KEY, or model: in home/neo.yaml (docs/agents.md).',
    ]
  const desk = files.read(join(home, 'rooms/desk/ROOM.md'), 0).kind !== 'missing'
  return [
    `Model: ${model} (check that it answers: node dist/main.js doctor).`,
    ...(desk
      ? [
          'To run an agent, set status: pending in home/rooms/desk/tasks/tips.md. To talk to Neo: node dist/main.js say desk "What is this home for?" --wait',
        ]
      : []),
  ]
}
