/**
 * A home without bubblewrap that holds a room for each case: in each a model has written what the room's checks run, so all
 * of them wait for a person side by side. Takes the rooms; gives the home, and the requests in it.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type Home, makeHome } from '../path/home.ts'
import { type Call, startModel } from '../path/model.ts'
import { write } from './rows.ts'

export interface At {
  readonly home: Home
  readonly room: string
  /** Of the request, in the home. */
  readonly path: string
  readonly worktree: string
  readonly files: string
  readonly marker: string
  readonly evil: string
}
/** A bound for what many sessions do at once, on a machine that runs other tests meanwhile. */
export const LONG_MS = 200_000

const WRITES = { 'check.sh': 'sh ./build/run.sh\n', 'build/run.sh': 'true\n' }

export function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
/** A home with these rooms; in each a model has written what its checks run. */
export async function homeOf(
  rooms: Readonly<Record<string, { room?: readonly string[]; writes?: Readonly<Record<string, string>> }>>,
) {
  const model = await startModel(({ text, turn, tools }) => {
    if (!tools.includes('finish_task')) return 'ok'
    const [, name = ''] = /This is (\w+)\./.exec(text) ?? []
    const calls: readonly Call[] =
      turn > 0
        ? [{ name: 'finish_task', input: { result: 'done' } }]
        : Object.entries(rooms[name]?.writes ?? WRITES).map(([path, words]) => write(path, words))
    return { calls }
  })
  const own = Object.entries(rooms).map(([name, { room = [] }]) => ({
    [`rooms/${name}/ROOM.md`]: `---\n${headerOf(room)}\n---\n`,
    [`rooms/${name}/tasks/t.md`]: `# T\n\nThis is ${name}.\n`,
  }))
  const home = makeHome({
    'neo.yaml': model.config.replace('rescan: 1s', 'rescan: 1s, concurrency: 40'),
    'workspace/members/m-ana.md': '---\nrole: parent\n---\n',
    'workspace/members/m-kim.md': '---\nrole: child\npermissions: { rooms: [member] }\n---\n',
    'workspace/files/.gitignore': 'build\n.env.local\n',
    'tools/all.sh': 'true\n',
    ...Object.assign({}, ...own),
  })
  put(join(home.dir, 'workspace/files/.env.local'), 'A=1\n')
  return home
}
function headerOf(room: readonly string[]): string {
  const lines = ['worker: agent', 'review: none', 'verify: ["sh ./check.sh"]', 'approvers: [m-ana]', ...room]
  return [...new Map(lines.map((line) => [line.split(':')[0], line])).values()].join('\n')
}
export function requestsIn({ dir, read, has }: Home, room: string): string[] {
  const folder = `rooms/${room}/asks`
  if (!has(folder)) return []
  const all = readdirSync(join(dir, folder)).map((name) => `${folder}/${name}`)
  return all.filter((path) => !path.endsWith('a-copy.md') && read(path).includes('run_unconfined'))
}
export const statusOf = (home: Home, room: string) =>
  /^status: (\w+)/m.exec(home.read(`rooms/${room}/tasks/t.md`))?.[1] ?? 'pending'
export const idOf = (path: string) => path.slice(path.lastIndexOf('/') + 1, -'.md'.length)

export function approve(home: Home, path: string): void {
  home.write(path, home.read(path).replace('decision: pending', 'decision: approved'))
}
export function atOf(home: Home, room: string): At {
  const [path = ''] = requestsIn(home, room)
  const [, session = ''] = /^session: (\S+)/m.exec(home.read(path)) ?? []
  const worktree = join(home.dir, '.neo/worktrees', session)
  const outside = { marker: `${home.dir}.ran`, evil: `${home.dir}.evil.sh` }
  return { home, room, path, worktree, files: join(worktree, 'workspace/files'), ...outside }
}
/** A program outside of all worktrees that leaves the marker. */
export function evilBeside({ dir }: Home): string {
  put(`${dir}.evil.sh`, `id > ${dir}.ran\n`)
  onTestFinished(() => {
    for (const end of ['ran', 'evil.sh']) rmSync(`${dir}.${end}`, { force: true })
  })
  return `${dir}.ran`
}
