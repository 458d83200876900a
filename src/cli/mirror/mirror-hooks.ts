/**
 * `neo mirror hook, config, show`: what happens in an editor, told by its hooks. Invariant: an event that can't be recorded
 * never stops the editor: the hook ends with 0, and says why on stderr.
 */
import { isAbsolute, relative } from 'node:path'
import { composeFiles } from '../../compose.ts'
import { whyOf } from '../../domain/home/error.ts'
import type { ParamsOf } from '../../hub/method-table.ts'
import { stdinText } from '../option-values.ts'
import type { Call } from '../spec.ts'
import { usage } from '../cli-failure.ts'
import { shellWord } from '../../domain/text/shell-word.ts'
import { findHome } from '../find-home.ts'
import { withHub } from '../with-hub.ts'

type Told = Omit<ParamsOf<'mirror.event'>, 'roomId'>

const SOURCES = { claude: eventsOfClaude, git: eventsOfGit } as const

/** Reads what the program gives its hook on stdin. */
export async function mirrorHook(call: Call): Promise<number> {
  const [name = '', roomId = ''] = call.args
  // A missing home is a mistake of the setup: it fails.
  findHome(call, composeFiles())
  if (!Object.hasOwn(SOURCES, name)) throw usage(`Unknown program "${name}"`, 'neo mirror hook claude shop')
  try {
    const events = SOURCES[name as keyof typeof SOURCES](await stdinText(call))
    await withHub(call, async (hub) => {
      for (const event of events) await hub.call('mirror.event', { roomId, ...event })
    })
  } catch (error) {
    call.out.note(`Not recorded: ${whyOf(error)}`)
  }
  return 0
}

function eventsOfClaude(text: string): readonly Told[] {
  const given = objectIn(text)
  const { hook_event_name: event, prompt, tool_name: tool, cwd = '' } = given
  if (event === 'UserPromptSubmit') return [{ kind: 'chat.message', text: textOf(prompt) }]
  if (event === 'Stop') {
    const said = textOf(given['last_assistant_message'])
    return said === '' ? [] : [{ kind: 'chat.response', text: said }]
  }
  if (event !== 'PostToolUse') return []
  const input = (given['tool_input'] ?? {}) as Readonly<Record<string, unknown>>
  if (tool === 'Bash') return [{ kind: 'command.executed', name: textOf(input['command']).slice(0, 1_000) }]
  const file = inside(textOf(cwd), textOf(input['file_path']))
  if (file === null) return []
  if (tool === 'Read') return [{ kind: 'file.opened', file }]
  if (tool !== 'Edit' && tool !== 'Write' && tool !== 'MultiEdit') return []
  const [before, after] = [textOf(input['old_string']), textOf(input['new_string'] ?? input['content'])]
  return [{ kind: 'file.edited', file, linesAdded: linesIn(after), linesRemoved: linesIn(before) }]
}

/** `git show --numstat --format=%s HEAD` */
function eventsOfGit(text: string): readonly Told[] {
  const [subject = '', ...lines] = text.split('\n')
  return lines.flatMap((line): readonly Told[] => {
    const [, added = '', removed = '', file = ''] = /^(\d+)\t(\d+)\t(.+)$/.exec(line) ?? []
    if (file === '' || file.startsWith('"')) return []
    return [
      {
        kind: 'file.saved',
        file,
        linesAdded: Number(added),
        linesRemoved: Number(removed),
        summary: subject,
      },
    ]
  })
}

/** Null for a file outside of the folder. */
function inside(cwd: string, path: string): string | null {
  const shown = isAbsolute(path) ? relative(cwd, path) : path
  return shown === '' || shown.startsWith('..') || isAbsolute(shown) ? null : shown
}

function linesIn(text: string): number {
  return text === '' ? 0 : text.replace(/\n$/, '').split('\n').length
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 20_000) : ''
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(text)
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
}

/** Prints what goes into the program's own settings. */
export function mirrorConfig(call: Call): Promise<number> {
  const [name = '', room = ''] = call.args
  return withHub(call, async (hub) => {
    const { id } = await hub.call('room.get', { roomId: room })
    const run = `neo --home ${shellWord(findHome(call, composeFiles()))} mirror hook ${name} ${shellWord(id)}`
    if (name === 'claude') call.out.block(claudeSettings(run))
    else if (name === 'git') call.out.block(`#!/bin/sh\ngit show --numstat --format=%s HEAD | ${run}\n`)
    else throw usage(`Unknown program "${name}"`, 'neo mirror config claude shop')
    const where = name === 'git' ? '.git/hooks/post-commit, executable' : '.claude/settings.local.json'
    call.out.note(`Put this into ${where}, in the workspace of the room.`)
    return 0
  })
}

function claudeSettings(command: string): string {
  const hooks = [{ type: 'command', command }]
  const settings = {
    hooks: {
      PostToolUse: [{ matcher: 'Read|Edit|MultiEdit|Write|Bash', hooks }],
      UserPromptSubmit: [{ hooks }],
      Stop: [{ hooks }],
    },
  }
  return `${JSON.stringify(settings, null, 2)}\n`
}

export function showMirror(call: Call): Promise<number> {
  const [roomId = ''] = call.args
  return withHub(call, async (hub) => {
    const found = await hub.call('mirror.snapshot', { roomId }, 'neo room list')
    call.out.data('mirror.snapshot', found)
    call.out.line(found.focusSummary)
    for (const { file, linesAdded, linesRemoved, summary } of found.recentChanges)
      call.out.line(`${file}  +${linesAdded} -${linesRemoved}  ${summary}`)
    for (const { file, line, message } of found.activeErrors) call.out.line(`${file}:${line}  ${message}`)
    for (const { name, status } of found.recentTests) call.out.line(`${status}  ${name}`)
    return 0
  })
}
