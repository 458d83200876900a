/**
 * Living git: one `cat-file --batch-command` process a repository, so that reading an
 * object costs no process start. Started at first use, started again when it dies.
 * Invariant 1: answers come in the order of questions; a process that dies fails all its open questions.
 * Invariant 2: there is one process at a time, and none is left after the end, anyone who asks at once, or late.
 */
import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { NeoError } from '../../../domain/home/error.ts'
import type { WorkTree } from '../locate.ts'
import { environmentOf, runGit } from './run-git.ts'
import { firstLine, startGit } from './spawn.ts'

export interface GitObject {
  readonly oid: string
  readonly type: string
  readonly bytes: Buffer
}

export interface Living {
  /** Null if there is no such object. `name`: an object id or a full ref name. */
  contents(name: string): Promise<GitObject | null>
  /** The id that a full ref name has now. */
  resolve(ref: string): Promise<string | null>
  /** Compare-and-swap; `old` of zeros: the ref must not exist. False if the ref is another. */
  updateRef(ref: string, to: string, old: string): Promise<boolean>
  /** Ends the process; it starts again when it is asked. */
  close(): Promise<void>
  /** For good: what is asked afterwards is still answered, by a process of its own. */
  end(): Promise<void>
}

/** What no ref name holds: a line break would be a second question, and `~1` or `:path` a search for something else. */
const NO_REF = /[\p{Cc} ~^:?*[\\]|\.\.|@\{/u

export function openLiving(tree: WorkTree): Living {
  let opening: Promise<Reader> | null = null
  let ended = false

  /** One for all who ask at once. */
  async function reader(): Promise<Reader> {
    for (;;) {
      opening ??= start()
      const present = opening
      const found = await present
      if (!found.dead) return found
      if (opening === present) opening = null
    }
  }

  async function start(): Promise<Reader> {
    try {
      return startReader(tree.top, await environmentOf(tree))
    } catch (error) {
      opening = null
      throw error
    }
  }

  async function ask(line: string): Promise<GitObject | null> {
    try {
      return await (await reader()).ask(line)
    } finally {
      if (ended) await close()
    }
  }

  async function close(): Promise<void> {
    const closing = opening
    opening = null
    const open = await closing?.catch(() => null)
    await open?.close()
  }

  return {
    contents: (name) => ask(`contents ${name}`),
    async resolve(ref) {
      if (NO_REF.test(ref)) return null
      return looseRef(tree, ref) ?? (await ask(`info ${ref}`))?.oid ?? null
    },
    async updateRef(ref, to, old) {
      return updateRef(tree, { ref, to, old })
    },
    close,
    async end() {
      ended = true
      await close()
    },
  }
}

/** A branch whose file git has written lately, which counts before all packed ones; null: git has to tell. */
function looseRef({ commonDir }: WorkTree, ref: string): string | null {
  if (!ref.startsWith('refs/heads/')) return null
  try {
    return /^([0-9a-f]{40})\n$/.exec(readFileSync(join(commonDir, ref), 'latin1'))?.[1] ?? null
  } catch {
    return null
  }
}

interface Reader {
  readonly dead: boolean
  ask(line: string): Promise<GitObject | null>
  close(): Promise<void>
}

interface Question {
  readonly withBody: boolean
  readonly resolve: (object: GitObject | null) => void
  readonly reject: (error: Error) => void
}

function startReader(cwd: string, env: Record<string, string>): Reader {
  const child = startGit(cwd, ['cat-file', '--batch-command'], { env })
  const questions: Question[] = []
  let dead = false
  const exited = new Promise<void>((resolve) => child.on('close', () => resolve()))
  child.stderr?.resume()
  child.stdin?.on('error', () => {})
  child.on('error', fail)
  child.on('close', fail)
  child.stdout?.on('data', answering(questions))

  function fail(): void {
    dead = true
    for (const question of questions.splice(0))
      question.reject(new NeoError('git', `Cannot read objects in ${cwd}: git cat-file ended`))
  }

  return {
    get dead() {
      return dead
    },
    ask(line) {
      return new Promise((resolve, reject) => {
        questions.push({ withBody: line.startsWith('contents '), resolve, reject })
        child.stdin?.write(`${line}\n`)
      })
    },
    close: () => endOf(child, exited),
  }
}

/** Takes what the process prints. A large object comes in thousands of pieces: they are joined once all are here. */
function answering(questions: Question[]): (piece: Buffer) => void {
  let pieces: Buffer[] = []
  let [size, wanted] = [0, 0]
  return (piece) => {
    pieces.push(piece)
    size += piece.length
    if (size < wanted) return
    let buffered = pieces.length === 1 ? piece : Buffer.concat(pieces)
    wanted = 0
    for (let question = questions[0]; question !== undefined && wanted === 0; question = questions[0]) {
      const answer = readAnswer(buffered, question.withBody)
      if ('wanted' in answer) wanted = answer.wanted
      else {
        buffered = buffered.subarray(answer.length)
        questions.shift()
        question.resolve(answer.object)
      }
    }
    pieces = buffered.length === 0 ? [] : [buffered]
    size = buffered.length
  }
}

async function endOf(child: ChildProcess, exited: Promise<void>): Promise<void> {
  child.stdin?.end()
  await exited
}

/** `<oid> <type> <size>` LF, then for contents the bytes and LF; or `<name> missing` LF. `wanted`: so many bytes, at least. */
function readAnswer(
  buffer: Buffer,
  withBody: boolean,
): { readonly object: GitObject | null; readonly length: number } | { readonly wanted: number } {
  const end = buffer.indexOf(10)
  if (end < 0) return { wanted: buffer.length + 1 }
  const [oid = '', type = '', size = ''] = buffer.subarray(0, end).toString('latin1').split(' ')
  if (!/^\d+$/.test(size)) return { object: null, length: end + 1 }
  if (!withBody) return { object: { oid, type, bytes: Buffer.alloc(0) }, length: end + 1 }
  const length = end + 1 + Number(size) + 1
  if (buffer.length < length) return { wanted: length }
  return { object: { oid, type, bytes: Buffer.from(buffer.subarray(end + 1, length - 1)) }, length }
}

/** A process of its own for each move: git ends `update-ref --stdin` at the first refusal, so one cannot live on. */
async function updateRef(tree: WorkTree, of: { ref: string; to: string; old: string }): Promise<boolean> {
  const done = await runGit(
    tree,
    ['update-ref', '-m', 'neo: commit', '--create-reflog', of.ref, of.to, of.old],
    { ok: 'any' },
  )
  if (done.code === 0) return true
  if (
    /cannot lock ref|reference already exists|unable to (create|resolve)|is at .* but expected/i.test(
      done.err,
    )
  )
    return false
  throw new NeoError('git', `Cannot move ${of.ref}: ${firstLine(done.err)}`)
}
