/**
 * Which process a pid means, which processes belong to a session, and ending them: SIGTERM, and SIGKILL after 2 s, until
 * two looks in a row find none (one, if there was nothing to end). Linux reads /proc; elsewhere `ps` lists the same.
 * Invariants: 1. what belongs: whatever carries NEO_SESSION=<id>; the group and terminal session of a supervisor that is
 * known to be Neo's; and all descendants of these; nothing else, whatever its pid was before; 2. this process never
 * belongs; 3. killing resolves within 5 s; 4. a process once seen stays a target, also if its parent is gone by the next
 * look; 5. pid, start time and boot id name one process for good; a zombie is dead: in a container whose first process
 * never reaps, it would stay for ever; 6. the start time is the same text that supervisor.ts puts into a claim.
 */

import { execFileSync } from 'node:child_process'
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { ProcessId } from '../../ports/process-port.ts'

interface PsRow extends ProcStat {
  /** Command line and environment. */
  readonly shown: string
}

/** On Linux command line and environment are read on demand. */
type Row = PsRow | (ProcStat & { readonly shown: null })

/** The living processes of a session, by pid, with their start times. */
function sessionProcesses(
  session: string,
  supervisors: readonly ProcessId[],
  known: ReadonlyMap<number, string>,
): ReadonlyMap<number, string> {
  const rows = processTable()
  const ours = new Set<number>()
  for (const row of rows) {
    if (known.get(row.pid) === row.startTime || marked(row, session)) ours.add(row.pid)
  }
  for (const supervisor of supervisors) addGroup(rows, supervisor, ours)
  addDescendants(rows, ours)
  ours.delete(process.pid)
  return new Map(rows.filter((row) => ours.has(row.pid)).map((row) => [row.pid, row.startTime]))
}

/** True while a supervisor lives whose command line names this folder: for a claim that is not filled yet. */
export function supervises(dir: string): boolean {
  const bytes = Buffer.from(dir).toString('latin1')
  return processTable().some(({ pid, shown }) => {
    if (pid === process.pid) return false
    return shown === null ? procText(pid, 'cmdline').includes(`\0${bytes}\0`) : shown.includes(` ${dir} `)
  })
}

/**
 * A dead leader's number may belong to strangers by now: its group counts while the leader lives, or while a member
 * is known as ours.
 */
function addGroup(rows: readonly Row[], supervisor: ProcessId, ours: Set<number>): void {
  const members = rows.filter((row) => row.pgid === supervisor.pid || row.sid === supervisor.pid)
  if (!alive(supervisor) && !members.some((row) => ours.has(row.pid))) return
  for (const row of members) ours.add(row.pid)
}

function addDescendants(rows: readonly Row[], ours: Set<number>): void {
  for (let before = -1; before !== ours.size; ) {
    before = ours.size
    for (const row of rows) if (ours.has(row.ppid)) ours.add(row.pid)
  }
}

function processTable(): readonly Row[] {
  if (!HAS_PROC) return psTable()
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const stat = procStat(Number(name))
      return stat === null ? [] : [{ ...stat, shown: null }]
    })
}

/** For systems without /proc. */
export function psTable(): readonly PsRow[] {
  const text = execFileSync('ps', ['-axww', '-E', '-o', 'pid=,ppid=,pgid=,stat=,lstart=,command='], {
    encoding: 'utf8',
    maxBuffer: 64 << 20,
    env: { ...process.env, LC_ALL: 'C' },
  })
  const line = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+\s+\S+\s+\S+\s+\S+\s+\S+)\s+(.*)$/
  return text.split('\n').flatMap((row) => {
    const [, pid, ppid, pgid, state, start, shown] = line.exec(row) ?? []
    if (pid === undefined || state === undefined || state.startsWith('Z')) return []
    const startTime = (start ?? '').replace(/\s+/g, ' ')
    return [
      { pid: Number(pid), ppid: Number(ppid), pgid: Number(pgid), sid: 0, startTime, shown: shown ?? '' },
    ]
  })
}

function marked(row: Row, session: string): boolean {
  const mark = `NEO_SESSION=${session}`
  if (row.shown !== null) return ` ${row.shown} `.includes(` ${mark} `)
  // Threads of the kernel have no group, and no environment.
  if (row.pgid === 0) return false
  return `\0${procText(row.pid, 'environ')}`.includes(`\0${mark}\0`)
}

const GRACE_MS = 2000
/** Less than the promised 5 s, so that the last look and the caller's files fit in. */
const LIMIT_MS = 4700
const FIRST_LOOK_MS = 5
const LOOK_MS = 100

export async function killProcesses(session: string, supervisors: readonly ProcessId[]): Promise<number> {
  const began = performance.now()
  const known = new Map<number, string>()
  const asked = new Set<string>()
  let pause = FIRST_LOOK_MS
  for (let empty = 0; ; ) {
    const left = sessionProcesses(session, supervisors, known)
    empty = left.size === 0 ? empty + 1 : 0
    const elapsed = performance.now() - began
    const quiet = empty === 2 || (empty === 1 && asked.size === 0 && supervisors.length === 0)
    if (quiet || elapsed > LIMIT_MS) return left.size
    for (const [pid, start] of left) known.set(pid, start)
    if (elapsed >= GRACE_MS) signalAll(left, 'SIGKILL')
    else signalAll(notYet(left, asked), 'SIGTERM')
    await delay(pause)
    pause = Math.min(pause * 2, LOOK_MS)
  }
}

/** Those that were not asked before; adds them to `asked`. */
function notYet(left: ReadonlyMap<number, string>, asked: Set<string>): ReadonlyMap<number, string> {
  const fresh = [...left].filter(([pid, start]) => !asked.has(`${pid} ${start}`))
  for (const [pid, start] of fresh) asked.add(`${pid} ${start}`)
  return new Map(fresh)
}

function signalAll(processes: ReadonlyMap<number, string>, signal: 'SIGTERM' | 'SIGKILL'): void {
  for (const pid of processes.keys()) {
    try {
      process.kill(pid, signal)
    } catch {
      // Gone since the look, or of another user: the next look shows it.
    }
  }
}

export const HAS_PROC = existsSync('/proc/self/stat')

const BUFFER = Buffer.allocUnsafe(64 * 1024)

export interface ProcStat {
  readonly pid: number
  readonly ppid: number
  readonly pgid: number
  readonly sid: number
  readonly startTime: string
}

/** Names this process. */
export function self(): ProcessId {
  return { pid: process.pid, startTime: startTimeOf(process.pid) ?? '', bootId: bootId() }
}

/** True while the very process that `id` names lives. */
export function alive(id: ProcessId): boolean {
  if (id.bootId !== '' && id.bootId !== bootId()) return false
  const start = startTimeOf(id.pid)
  return start !== null && (id.startTime === '' || start === id.startTime)
}

/** Reads /proc/<pid>/stat; null for a process that is gone or a zombie. The name in it may hold spaces and `)`. */
export function procStat(pid: number): ProcStat | null {
  const line = procText(pid, 'stat')
  if (line === '') return null
  const fields = line.slice(line.lastIndexOf(') ') + 2).split(' ')
  const [state, ppid, pgid, sid] = fields
  if (state === 'Z' || state === 'X') return null
  return { pid, ppid: Number(ppid), pgid: Number(pgid), sid: Number(sid), startTime: fields[19] ?? '' }
}

/**
 * Reads a file of /proc/<pid>, byte for character; '' if the process is gone or not ours to read. A look at the
 * whole table is hundreds of these, so the buffer is kept and nothing is asked twice.
 */
export function procText(pid: number, name: 'stat' | 'environ' | 'cmdline'): string {
  let file: number
  try {
    file = openSync(`/proc/${pid}/${name}`, 'r')
  } catch {
    return ''
  }
  try {
    return readAll(file)
  } catch {
    return ''
  } finally {
    closeSync(file)
  }
}

function readAll(file: number): string {
  let text = ''
  for (;;) {
    const got = readSync(file, BUFFER, 0, BUFFER.length, null)
    if (got === 0) return text
    text += BUFFER.toString('latin1', 0, got)
  }
}

function startTimeOf(pid: number): string | null {
  if (HAS_PROC) return procStat(pid)?.startTime ?? null
  try {
    const text = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C' },
    })
    const [state, ...start] = text.trim().split(/\s+/)
    return state === undefined || state === '' || state.startsWith('Z') ? null : start.join(' ')
  } catch {
    return null
  }
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return ''
  }
}
