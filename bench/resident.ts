/**
 * Programs that stay: starts one, waits for the line by which it says that it is ready, reads what it costs, ends it.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { pause, until } from './time.ts'

export interface Resident {
  readonly pid: number
  /** From its start to the line that says ready. */
  readonly readyMs: number
  /** Resident memory of it and its children, in MB. */
  memory(): number
  /** Processor time that it and its children used so far, in ms. */
  cpu(): number
  /** What it has printed. */
  said(): string
  /** SIGTERM, then SIGKILL after 10 s; resolves when it has ended. */
  end(): Promise<void>
}

/** @param ready what is in its output once it is ready */
export async function startResident(
  argv: readonly [string, ...string[]],
  ready: RegExp,
  env: Readonly<Record<string, string>> = {},
): Promise<Resident> {
  const [program, ...args] = argv
  const started = performance.now()
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  const pid = child.pid ?? Number.NaN
  let said = ''
  let readyMs = Number.NaN
  const hear = (bytes: Buffer) => {
    said += bytes
    if (Number.isNaN(readyMs) && ready.test(said)) readyMs = performance.now() - started
  }
  child.stdout.on('data', hear)
  child.stderr.on('data', hear)
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const end = async () => {
    process.off('exit', kill)
    await ended(child)
  }
  try {
    await until(`${argv.join(' ')} is ready`, () => outcome(child, readyMs, said), 120_000)
  } catch (error) {
    await end()
    throw error
  }
  return { pid, readyMs, memory: () => memoryOf(pid), cpu: () => cpuOf(pid), said: () => said, end }
}

function outcome(child: ChildProcess, readyMs: number, said: string): number | null {
  if (child.exitCode !== null)
    throw new Error(`It ended with ${child.exitCode} before it was ready:\n${said}`)
  return Number.isNaN(readyMs) ? null : readyMs
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise<void>((done) => child.once('exit', () => done()))
  child.kill('SIGTERM')
  const late = setTimeout(() => child.kill('SIGKILL'), 10_000)
  await gone
  clearTimeout(late)
}

/** False where the system has no /proc: then memory and processor time cannot be told. */
export function canWeigh(): boolean {
  return existsSync('/proc/self/status')
}

/** Uses of the processor in per cent of one core, over a time in which nothing is asked of it. */
export async function idleShare(resident: Resident, ms: number): Promise<number> {
  const before = resident.cpu()
  const started = performance.now()
  await pause(ms)
  return (100 * (resident.cpu() - before)) / (performance.now() - started)
}

function memoryOf(pid: number): number {
  const sizes = family(pid).map((id) => /VmRSS:\s+(\d+)/.exec(procFile(id, 'status'))?.[1] ?? '0')
  return sizes.reduce((sum, kib) => sum + Number(kib), 0) / 1024
}

/** Hundredths of a second is the unit of /proc on every Linux that node runs on. */
const TICK_MS = 10

function cpuOf(pid: number): number {
  const ticks = family(pid).map((id) => {
    const fields = procFile(id, 'stat')
      .replace(/^.*\) /, '')
      .split(' ')
    return Number(fields[11] ?? 0) + Number(fields[12] ?? 0)
  })
  return ticks.reduce((sum, one) => sum + one, 0) * TICK_MS
}

/** A process and its descendants. */
function family(pid: number): readonly number[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ id: Number(name), parent: parentOf(Number(name)) }))
  const found = [pid]
  for (const one of found) found.push(...all.filter(({ parent }) => parent === one).map(({ id }) => id))
  return found
}

function parentOf(pid: number): number {
  return Number(/^PPid:\s+(\d+)/m.exec(procFile(pid, 'status'))?.[1] ?? -1)
}

function procFile(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    return ''
  }
}
