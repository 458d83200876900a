/** `neo prime`: one page of instructions for an agent that works in this home. */
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
Tasks are markdown files: \`rooms/<room>/tasks/<name>.md\`. To change a task, edit its file and save it. A daemon
(\`neo watch\`) runs the tasks, writes the results into the files and commits them.

Rooms:
${rooms.length === 0 ? '- none yet (neo room new NAME)' : rooms.join('\n')}

Look
  neo status                        what needs a person, what runs, what waits and for what
  neo task list [--room R --ready]  all tasks; --json for programs
  neo task show TASK                one task with its text
  neo log [TASK or ROOM]            who did what, when and why

Create and change tasks
  neo task new --room R --title 'Fix the login' -        text from stdin; prints the path
  neo task start TASK, retry, cancel                     TASK is a path, a name, room/name or an id
  neo task done TASK -m 'the result', fail TASK -m 'why'
  neo wait TASK --timeout 10m                            exit code 0 only if it is completed

As tools in your editor
  neo mcp --print-config claude, cursor, vscode, codex … the configuration; then neo_task_create, neo_memory_search, ...

Rules
- \`worker: shell\` runs the sh blocks of the task in order, in a worktree; \`human\` assigns it to a person.
- Never write into a \`neo:\` block and never commit task files: the daemon does both.
- \`status:\` is draft, pending, in_progress, blocked, review, completed, failed or cancelled. A pending task can start.
- Leave approval requests and questions (\`neo ask list\`) and reviews (\`neo review list\`) to people.
- After editing files by hand: \`neo config check\`. It names file, line and column of each problem.
`
}
