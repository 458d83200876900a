/**
 * `neo prime`: what an agent must know to work in this home, in a page.
 */
import { composeFiles } from '../../compose.ts'
import { findHome } from '../find-home.ts'
import { readRoomNamed } from '../room/open-rooms.ts'
import type { Call } from '../spec.ts'
import { roomNames } from '../task/task-paths.ts'

export function prime(call: Call): number {
  const files = composeFiles()
  const home = findHome(call, files)
  const rooms = roomNames(home, files).map((name) => {
    const read = readRoomNamed({ home, files }, name)
    const about = read.kind === 'ok' ? read.room.description.replaceAll(/\s+/g, ' ') : ''
    return about === '' ? `- ${name}` : `- ${name}: ${about}`
  })
  const text = textFor(home, rooms)
  call.out.data('prime', { home, text })
  call.out.block(text)
  return 0
}

function textFor(home: string, rooms: readonly string[]): string {
  return `# Working in this home

This folder is a home of Neo Rooms: ${home}
Tasks are markdown files, \`rooms/<room>/tasks/<name>.md\`, and the files are the truth: who edits one and saves it
has said it. A daemon (\`neo watch\`) looks at them, runs what can run, writes the outcome back and commits it.

Rooms:
${rooms.length === 0 ? '- none yet (neo room new NAME)' : rooms.join('\n')}

See what is there
  neo status                        what needs a person, what runs, what waits and on what
  neo task list [--room R --ready]  all tasks; --json for programs
  neo task show TASK                one task with its text
  neo log [TASK or ROOM]            what was done, by whom and why

Make and change tasks
  neo task new --room R --title 'What is wanted' -       text from stdin; prints the path
  neo task start TASK, retry, cancel                     TASK is a path, a name, room/name or an id
  neo task done TASK -m 'what came of it', fail TASK -m 'why'
  neo wait TASK --timeout 10m                            exit code 0 only where it is completed

As tools in your editor
  neo mcp --print-config claude, cursor or vscode        what its configuration needs; then neo_task_create, neo_memory_search, ...

Rules
- \`worker: shell\` runs the fenced sh blocks of the task in order, in a worktree of its own; \`human\` waits for a person.
- Never write into a \`neo:\` block and never commit task files: the daemon does both.
- \`status:\` is draft, pending, in_progress, blocked, review, completed, failed or cancelled. pending means: may start.
- What only a person can decide is an ask (\`neo ask list\`): leave it to them. So is a review (\`neo review list\`).
- After editing files by hand: \`neo config check\`. It names what is wrong with file, line and column.
`
}
