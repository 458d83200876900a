/**
 * `neo chat` outside a home: a plain assistant. Invariant 1: without `--workspace` there are no tools for files or
 * commands; with it, only for that folder. Invariant 2: nothing is written without `--save`; with it, one new file in
 * the current folder.
 */
import { lstatSync, realpathSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { composeOutside, type Outside } from '../../compose.ts'
import { NeoError } from '../../domain/home/error.ts'
import type { HomeConfig } from '../../domain/home/home-config.ts'
import { redact } from '../../domain/secrets/redact.ts'
import { readConfig } from '../../files/config/read-config.ts'
import type { Model } from '../../ports/model-port.ts'
import { brokenFile } from '../cli-failure.ts'
import { dim } from '../output.ts'
import type { Call } from '../spec.ts'
import { answer, type Plain } from './chat-answer.ts'
import { eachLine, openLines, slashCommand, unknownCommand } from './chat-lines.ts'
import { type Folder, runTyped, toolRows, whyNoShell } from './folder-tools.ts'

export async function plainChat(call: Call): Promise<number> {
  const world = await composeOutside()
  const model = modelOf(call, world)
  const folder = folderOf(call, world)
  const plain: Plain = {
    call,
    world,
    model,
    folder,
    noShell: folder === null ? null : await whyNoShell(world),
    save: saver(call, world),
    lines: openLines(call, null),
    messages: [],
    summary: '',
    ended: false,
  }
  plain.lines.prompt('> ')
  greet(plain)
  return await eachLine(plain, (line) => take(plain, line))
}

function configOf(call: Call): HomeConfig {
  const read = readConfig('the environment', null, call.around.env)
  if (read.kind === 'ok') return read.value
  throw brokenFile('Cannot read the settings', read.kind === 'bad' ? read.problems : [])
}

/** Throws NeoError `config` if no model is available. */
function modelOf(call: Call, { agent }: Outside): Model {
  const config = configOf(call)
  const ref = call.text('model') ?? config.model
  const opened =
    ref === 'rules' ? { wrong: 'no model is configured' } : agent.models.open(ref, config.providers)
  if (!('wrong' in opened)) return opened
  throw new NeoError('config', `Cannot chat: ${opened.wrong}`, {
    why: 'outside a home, only the environment sets the model',
    next: 'set ANTHROPIC_API_KEY, or NEO_MODEL with NEO_PROVIDERS__<NAME>__API, __BASE_URL and __API_KEY; or neo init',
  })
}

/** Throws NeoError `missing` if it is not a folder. */
function folderOf(call: Call, world: Outside): Folder | null {
  const named = call.text('workspace')
  if (named === null) return null
  const path = resolve(call.around.cwd, named)
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new NeoError('missing', `Folder "${named}" not found`, {
      next: `mkdir ${named}`,
    })
  const root = realpathSync(path)
  const isCheckout = lstatSync(join(root, '.git'), { throwIfNoEntry: false })?.isDirectory() === true
  return { world, root, env: call.around.env, network: 'deny', repository: isCheckout ? root : null }
}

function greet({ call, model, folder, noShell, lines }: Plain): void {
  const say = (text: string): void => call.out.note({ text, style: 'dim' })
  if (lines.mode === 'terminal') {
    const place = folder === null ? 'without files or commands' : `with tools for ${folder.root}`
    say(`${model.ref}, outside a home, ${place}. Type /help for commands, /quit or Ctrl-D to end.`)
  }
  if (noShell !== null) say(`Commands can't run here: ${noShell}`)
}

/** Returns the exit code for this line. */
async function take(plain: Plain, line: string): Promise<number> {
  const text = line.trim()
  if (text === '') return 0
  const command = slashCommand(line)
  if (command !== null) return runCommand(plain, command.name)
  if (!line.startsWith('!')) return await answer(plain, line)
  const none = { wrong: 'Tools need a folder: start neo chat --workspace DIR' }
  return await runTyped(plain, text, async () => plain.folder ?? none)
}

const COMMANDS: Readonly<Record<string, string>> = {
  help: 'Show this list',
  new: 'Forget this conversation and start a new one',
  status: 'Show the model and its tools',
  quit: 'End the conversation',
}

function runCommand(plain: Plain, name: string): number {
  const { out } = plain.call
  switch (name) {
    case 'help':
      help(plain)
      return 0
    case 'new':
      plain.messages = []
      plain.summary = ''
      out.note(dim('New conversation. The old one is forgotten.'))
      return 0
    case 'status':
      out.table([
        ['model', plain.model.ref],
        ['tools', plain.folder === null ? 'none' : `for ${plain.folder.root}`],
        ['commands', plain.folder === null ? 'none' : (plain.noShell ?? 'confined to that folder')],
      ])
      return 0
    case 'quit':
      plain.ended = true
      return 0
    default:
      return unknownCommand(plain.call, name, { names: Object.keys(COMMANDS), where: ' outside a home' })
  }
}

function help({ call, folder }: Plain): void {
  const commands = Object.entries(COMMANDS).map(([name, says]) => [`/${name}`, says])
  call.out.table([...commands, ...(folder === null ? [] : toolRows())], 1)
  call.out.note(
    dim(
      'Everything else is sent to the model, also what begins with a space. Ctrl-C stops an answer; press it twice to end.',
    ),
  )
}

/** Saves each question with its answer in one new file. */
function saver(call: Call, { files, clock }: Outside): Plain['save'] {
  if (!call.isSet('save')) return () => {}
  const at = new Date(clock.now()).toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const name = `neo-chat-${at}.md`
  const path = join(call.around.cwd, name)
  let text = ''
  let hash: string | null = null
  call.out.note(dim(`Saving this conversation in ${name}.`))
  return (asked, answered) => {
    text += `## You\n\n${redact(asked.trim())}\n\n## Neo\n\n${redact(answered.trim())}\n\n`
    const saved = files.save(path, Buffer.from(text), hash)
    if (saved.kind === 'saved') hash = saved.hash
    else call.out.error('neo', `Cannot save in ${name}: another program changed it`)
  }
}
