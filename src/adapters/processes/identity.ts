/**
 * Which process a pid means: pid, start time and boot id together name one process for good. Linux reads /proc;
 * elsewhere `ps` gives the start time. Invariant 1: a zombie is dead: in a container whose first process never reaps, it
 * would stay for ever. Invariant 2: the start time is the same text that supervisor.ts puts into a claim.
 */
import { execFileSync } from 'node:child_process'
import { closeSync, existsSync, openSync, readFileSync, readSync } from 'node:fs'
import type { ProcessId } from '../../ports/process-port.ts'

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
 * Reads a file of /proc/<pid>, byte for character; '' where the process is gone or not ours to read. A look at the
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
