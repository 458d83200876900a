/**
 * Makes homes to measure in: git repositories in temporary folders, with any number of adopted task files in rooms.
 * What it makes is settled: nothing in it waits for the daemon, so that an idle home is idle.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

export interface Shape {
  readonly tasks: number
  readonly rooms: number
  /**
   * `settled`: a mix of statuses, none of which starts; `true`: runbooks of one block that says `true`, all ready; `new`:
   * drafts in rooms that nobody has adopted, as people wrote them.
   */
  readonly kind: 'settled' | 'true' | 'new'
}

export interface BenchHome {
  readonly dir: string
  /** Paths of the task files, relative to `dir`. */
  readonly tasks: readonly string[]
}

const made: string[] = []
const templates = new Map<string, BenchHome>()
process.on('exit', () => made.forEach((dir) => void rmSync(dir, { recursive: true, force: true })))

/** A fresh home of that shape; the first of a shape is generated, later ones are copies of it. */
export function makeHome(shape: Shape): BenchHome {
  const key = JSON.stringify(shape)
  const template = templates.get(key) ?? generate(shape)
  templates.set(key, template)
  const dir = join(temporary(), 'home')
  execFileSync('cp', ['-Rp', template.dir, dir])
  git(dir, ['update-index', '-q', '--really-refresh'])
  return { dir, tasks: template.tasks }
}

/** A temporary folder that goes when the program ends. */
export function temporary(): string {
  const dir = mkdtempSync(join(tmpdir(), 'neo-bench-'))
  made.push(dir)
  return dir
}

/** Runs git as a home's owner would, with an identity of its own. */
export function git(dir: string, args: readonly string[]): string {
  const identity = ['-c', 'user.name=Bench', '-c', 'user.email=bench@localhost']
  return execFileSync('git', [...identity, ...args], { cwd: dir, encoding: 'utf8', maxBuffer: 1 << 28 })
}

function generate({ tasks, rooms, kind }: Shape): BenchHome {
  const dir = join(temporary(), 'home')
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), text)
  }
  put('neo.yaml', 'model: rules\ndaemon:\n  branch: main\n')
  put('.gitignore', '.neo/\n.env\n')
  put('workspace/files/.gitkeep', '')
  for (let room = 0; room < rooms; room++)
    put(`rooms/room-${room}/ROOM.md`, kind === 'new' ? newRoomText(room) : roomText(room))
  const paths = Array.from({ length: tasks }, (_, index) => {
    const path = `rooms/room-${index % rooms}/tasks/task-${String(index).padStart(5, '0')}.md`
    put(path, TEXTS[kind](index))
    return path
  })
  git(dir, ['init', '-q', '-b', 'main'])
  git(dir, ['config', 'user.name', 'Bench'])
  git(dir, ['config', 'user.email', 'bench@localhost'])
  git(dir, ['config', 'gc.auto', '0'])
  git(dir, ['-c', 'core.fsync=none', 'add', '-A'])
  git(dir, ['commit', '-q', '-m', 'A home to measure in'])
  git(dir, ['gc', '-q'])
  return { dir, tasks: paths }
}

const TEXTS = { settled: taskText, true: runbookText, new: newTaskText } as const

function newRoomText(room: number): string {
  return `---\nname: Room ${room}\nworker: human\n---\nEverything that belongs to area ${room}.\n`
}

function newTaskText(index: number): string {
  return `---\nstatus: draft\n---\n# Piece of work number ${index}\n\nTo be written.\n`
}

export function roomText(room: number): string {
  return `---
name: Room ${room}
description: The room number ${room}
worker: shell
orchestrator: off
concurrency: 2
neo: { id: r-${code(room)}, created_at: 2026-03-01T09:00:00Z }
---
Everything that belongs to area ${room}.
`
}

/** Nine of ten ended, in the ways that tasks end; the rest wait for a person. */
const MIX = [
  'completed',
  'completed',
  'completed',
  'completed',
  'completed',
  'completed',
  'failed',
  'cancelled',
  'completed',
  'draft',
] as const

export function taskText(index: number): string {
  const status = MIX[index % MIX.length] ?? 'completed'
  return `---
title: Piece of work number ${index}
status: ${status}
priority: ${['low', 'normal', 'high', 'normal'][index % 4]}
labels: [area-${index % 7}, bench]
neo:
  id: t-${code(index)}
  created_at: 2026-03-01T09:00:00Z
  created_by: human
${status === 'draft' ? '' : ended(status)}---
${'What is wanted here is written in a few plain lines, as a person would.\n'.repeat(3 + (index % 5))}
- [x] look at what is there
- [ ] write down what follows

\`\`\`sh name=look
echo "number ${index}"
\`\`\`
`
}

function ended(status: string): string {
  const last = status === 'failed' ? 'error: step look ended with 1' : 'result: done, 1 step'
  return `  attempt: 1
  started_at: 2026-03-01T09:00:05Z
  completed_at: 2026-03-01T09:10:00Z
  ${last}
`
}

function runbookText(index: number): string {
  return `---
title: Runbook ${index}
status: pending
neo:
  id: t-${code(index)}
  created_at: 2026-03-01T09:00:00Z
  created_by: human
---
\`\`\`sh
true
\`\`\`
`
}

function code(index: number): string {
  return index.toString(36).padStart(6, '0')
}
