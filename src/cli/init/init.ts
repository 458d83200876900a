/** `neo init` creates a home. `neo start`, behind `npm start`, creates ./home if it is missing and runs the daemon. */
import { join, relative, resolve } from 'node:path'
import { composeFiles } from '../../compose.ts'
import { counted } from '../../domain/text/counted.ts'
import { shellWord } from '../../domain/text/shell-word.ts'
import { usage } from '../cli-failure.ts'
import { readHomeConfig } from '../config/read-config-file.ts'
import { watchHome } from '../daemon/run-daemon.ts'
import { answersYes } from '../option-values.ts'
import { checkedName } from '../room/change-rooms.ts'
import type { Call } from '../spec.ts'
import { type MadeHome, makeHome, type Plan } from './make-home.ts'

export async function init(call: Call): Promise<number> {
  const { cwd, env } = call.around
  const dir = resolve(cwd, call.args[0] ?? call.homeOption ?? '.')
  const name = call.text('room')
  const template = call.text('template')
  if (name === null && template !== null)
    throw usage(
      'Option --template needs --room: it is for the room that --room creates',
      'neo init --room shop --template code',
    )
  const room = name === null ? null : { name: checkedName(name), template }
  const made = await makeHome({
    dir,
    rooms: 'lobby',
    room,
    env,
    version: call.around.version,
    agree: (plan) => agree(call, plan),
  })
  call.out.data('init', made)
  printMade(call, made, name)
  return 0
}

/** Asks on a terminal; elsewhere only `--yes` counts. */
async function agree(call: Call, { home, branch, files }: Plan): Promise<boolean> {
  if (call.isSet('yes')) return true
  const { stdin, stdout } = call.around
  if (stdin.isTTY !== true || stdout.isTTY !== true) return false
  call.out.line(
    `${home} is a git repository with commits. neo init adds ${counted(files.length, 'file')} to it,`,
  )
  call.out.line(`in one commit on ${branch}: ${files.slice(0, MOST_NAMED).join(', ')}, …`)
  return await answersYes(stdin, stdout, 'Continue? [y/N] ')
}

const MOST_NAMED = 4

function printMade(call: Call, made: MadeHome, room: string | null): void {
  const { out } = call
  if (made.written.length === 0 && made.commit === null)
    out.line(`${made.home} already is a Neo home; nothing changed`)
  else
    out.line(
      { text: `Created a Neo home in ${made.home}`, style: 'green' },
      `(${counted(made.written.length, 'file')}${made.commit === null ? '' : `, commit ${made.commit.slice(0, 10)} on ${made.branch}`})`,
    )
  if (made.author !== null)
    out.note(
      `git has no identity here, so commits are by ${made.author}. Set one with git config user.name and user.email.`,
    )
  if (out.isQuiet) return
  const folder = relative(call.around.cwd, made.home)
  out.line('')
  out.heading('Next')
  if (folder !== '') out.line(`  cd ${shellWord(folder.startsWith('..') ? made.home : folder)}`)
  if (!made.trusted)
    out.line('  neo trust --show           # this folder had rooms before: check, then neo trust')
  out.line('  neo watch                  # run the daemon; then, in another terminal:')
  // Without a model an agent's task would only wait.
  if (room === null && !call.around.env['ANTHROPIC_API_KEY'])
    out.line('  neo room new scripts --worker shell    # a room for shell tasks; they need no model')
  else out.line(`  neo task new 'Your first task' --room ${room ?? 'lobby'}`)
}

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
