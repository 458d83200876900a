/**
 * The ground of a boundary test: a home with one room for the session, another room, a secret in `.env`, a repository of
 * somebody else and a folder outside; a model that plays a row's turns.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { openSandbox } from '../../src/adapters/sandbox/bubblewrap.ts'
import { composeWorld } from '../../src/compose.ts'
import type { World } from '../../src/ports/world.ts'
import { fillHome, type Home, openHome } from '../path/home.ts'
import { type ModelServer, startModel } from '../path/model.ts'
import { beginRepository } from '../repository.ts'
import type { Row } from './rows.ts'

/** Stands in the home's `.env`; no session is given it. */
export const SECRET = 'kestrel-91-juniper-basalt'
/** Stands in a file of another room. */
export const OTHER = 'quartz-heron-58-lantern'

export interface Ground {
  readonly home: Home
  /** Holds everything below; gone after the test. */
  readonly top: string
  /** Commands of an attack create this file; it must never exist. */
  readonly marker: string
  /** A git repository of somebody else. */
  readonly victim: string
  /** A plain folder outside the home. */
  readonly outside: string
  readonly model: ModelServer
  run(): Promise<Seen>
  /** Runs git as a person does, in a folder that is made where it is missing. */
  git(dir: string, ...args: readonly string[]): string
  /** Writes a file of a person's, by absolute path. */
  put(path: string, text: string): void
}

export interface Seen {
  readonly exitCode: number
  readonly status: string
  readonly result: string
  /** All that reached the model. */
  readonly asked: string
}

const before = new WeakMap<Ground, ReadonlyMap<string, string>>()

export async function makeGround(row: Row, way: 'with' | 'without'): Promise<Ground> {
  const top = mkdtempSync(join(tmpdir(), 'neo-boundary-'))
  onTestFinished(() => rmSync(top, { recursive: true, force: true, maxRetries: 5 }))
  let ground: Ground | undefined
  const model = await startModel(({ turn, tools }) => {
    const calls = ground === undefined ? [] : row.turns(ground)[turn]
    if (!tools.includes('finish_task')) return 'ok'
    return { calls: calls ?? [{ name: 'finish_task', input: { result: 'done' } }] }
  })
  const own = standing(top, model, way)
  ground = own
  own.put(join(own.outside, 'keep.txt'), 'keep\n')
  own.put(join(own.victim, 'a.txt'), 'a\n')
  commitAll(own.victim)
  const files = {
    // Not masked by value: a session that reads it is to be seen.
    'neo.yaml': `${model.config}redact: { plain: [VAULT_WORD] }\n`,
    'rooms/vault/ROOM.md': `---\nworker: human\n---\n${OTHER}\n`,
    'rooms/vault/memories/plan.md': `${OTHER}\n`,
    ...row.files,
  }
  const session = () => sessionOf(row, own)
  const first = row.given === undefined ? session() : { 'rooms/shop/ROOM.md': 'see below\n' }
  fillHome(own.home.dir, { ...files, ...first })
  own.put(join(own.home.dir, '.env'), `VAULT_WORD=${SECRET}\n`)
  if (row.given !== undefined) {
    row.given(own)
    for (const [path, text] of Object.entries(session())) own.home.write(path, text)
    own.git(own.home.dir, 'add', 'rooms')
    own.git(own.home.dir, 'commit', '-q', '-m', 'room')
  }
  before.set(own, prints(own))
  return own
}

/** The room and the task of the session. */
function sessionOf({ room }: Row, ground: Ground): Readonly<Record<string, string>> {
  const header = ['worker: agent', 'review: none', ...(room?.(ground) ?? [])]
  const settings = new Map(header.map((line) => [line.split(':')[0], line]))
  return {
    'rooms/shop/ROOM.md': `---\n${[...settings.values()].join('\n')}\n---\n`,
    'rooms/shop/tasks/t.md': '# t\n\nDo it.\n',
  }
}

function standing(top: string, model: ModelServer, way: 'with' | 'without'): Ground {
  const dir = join(top, 'home')
  mkdirSync(dir)
  const home = openHome(dir)
  return {
    home,
    top,
    marker: join(top, 'ESCAPED'),
    victim: join(top, 'victim'),
    outside: join(top, 'outside'),
    model,
    git: gitIn,
    put: putFile,
    async run() {
      const world = await composeWorld(dir)
      const { exitCode } = await home.run({ world: way === 'with' ? world : bare(world) })
      const asked = model.asked.map(({ text }) => text).join('\n')
      return { exitCode, status: home.status('t'), result: home.neo('t', 'result') ?? '', asked }
    },
  }
}

/** The same world on a machine without bubblewrap. */
function bare(world: World): World {
  if (world.agent === undefined) return world
  return { ...world, agent: { ...world.agent, sandbox: openSandbox({ program: 'no-such-program' }) } }
}

function gitIn(dir: string, ...args: readonly string[]): string {
  mkdirSync(dir, { recursive: true })
  const env = { ...process.env, GIT_CEILING_DIRECTORIES: dirname(dir) }
  return execFileSync('git', args, { cwd: dir, encoding: 'utf8', stdio: 'pipe', env }).trimEnd()
}

function putFile(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

/** Makes a repository of a folder, and a commit of all that is in it. */
export function commitAll(dir: string): void {
  beginRepository(dir, { name: 'Person', email: 'person@localhost', message: 'begin' })
}

/** Fails where the session gained anything. */
export function checkGround(ground: Ground, seen: Seen): void {
  expect(existsSync(ground.marker) ? readFileSync(ground.marker, 'utf8') : null).toBeNull()
  expect(prints(ground)).toEqual(before.get(ground))
  for (const word of [SECRET, OTHER]) {
    expect(seen.asked.includes(word)).toBe(false)
    expect(filesWith(ground, word)).toEqual([])
  }
  expect(objectsOf(ground).includes(SECRET)).toBe(false)
  expect(ground.git(ground.home.dir, 'fsck', '--no-dangling', '--no-progress')).toBe('')
}

/** Files where a word may stand: where the person wrote it, a checkout of that, and where Neo keeps what it read. */
const ALLOWED: Readonly<Record<string, RegExp>> = {
  [SECRET]: /^\.env$/,
  [OTHER]: /^((\.neo\/worktrees\/[^/]+\/)?rooms\/vault\/.*|\.git\/neo\/journal\.jsonl|\.neo\/cache\/.*)$/,
}

/** Files below the home that hold the word, beside those where the person wrote it; `.git` outside its objects too. */
function filesWith({ home }: Ground, word: string): string[] {
  return below(home.dir, '')
    .filter((path) => !ALLOWED[word]?.test(path) && lstatSync(join(home.dir, path)).isFile())
    .filter((path) => readFileSync(join(home.dir, path)).includes(word))
}

/** The content of all git objects of the home, reachable or not. */
function objectsOf({ home }: Ground): Buffer {
  const args = ['cat-file', '--batch-all-objects', '--batch', '--unordered']
  return execFileSync('git', args, { cwd: home.dir, maxBuffer: 64 * 1024 * 1024 })
}

/** What must stay as it is, by path: a hash of the bytes, or where a link leads. */
function prints({ victim, outside, home }: Ground): ReadonlyMap<string, string> {
  const all = [victim, outside].flatMap((dir) => below(dir, '').map((path) => join(dir, path)))
  return new Map([...all, ...SETTINGS.map((path) => join(home.dir, path))].map((path) => [path, print(path)]))
}

const SETTINGS = ['.env', 'neo.yaml', '.gitignore', '.git/config', '.git/hooks'] as const

function print(path: string): string {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return 'missing'
  if (stat.isSymbolicLink()) return `link ${readlinkSync(path)}`
  if (stat.isDirectory()) return readdirSync(path).join(' ')
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}

/** Paths of everything below a folder that is not a folder; links are not followed. */
function below(dir: string, path: string): string[] {
  return readdirSync(join(dir, path), { withFileTypes: true }).flatMap((entry) => {
    const at = path === '' ? entry.name : `${path}/${entry.name}`
    return entry.isDirectory() ? below(dir, at) : [at]
  })
}
