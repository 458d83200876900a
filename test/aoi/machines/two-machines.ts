/**
 * Two machines in one: two network namespaces of Linux with a cable between them, and nothing else that one could reach.
 * Where they can't be made (no root, no `ip`, a container without CAP_NET_ADMIN), two loopback addresses, and why.
 * Names are unique for each run; what a killed run has left is removed by the next.
 */
import { execFileSync } from 'node:child_process'
import { freePort } from '../../free-port.ts'

export interface Machine {
  /** What starts a program there. */
  readonly through: readonly string[]
  /** Where the other machine reaches it. */
  readonly address: string
  /** Where its server listens. */
  readonly host: string
  readonly port: number
}

export interface TwoMachines {
  /** For people: what they are, and why not something better. */
  readonly are: string
  readonly machines: readonly [Machine, Machine]
  /** Ends what still runs there. */
  remove(): void
}

/** As docs/other-homes.md has them (RFC 5737). */
const ADDRESSES = ['192.0.2.7', '192.0.2.8'] as const
const PORT = 8443
const NAMED = /^(neo-test-(\d+)-[12])\b/gm

export async function twoMachines(): Promise<TwoMachines> {
  const names = [1, 2].map((at) => `neo-test-${process.pid}-${at}`) as [string, string]
  try {
    for (const name of abandoned()) remove(name)
    join(names)
  } catch (error) {
    for (const name of names) remove(name)
    return await onLoopback(error as Error)
  }
  const machine = (at: 0 | 1): Machine => ({
    ...{ through: ['ip', 'netns', 'exec', names[at]], address: ADDRESSES[at], host: '0.0.0.0', port: PORT },
  })
  return {
    are: 'two network namespaces with a cable between them',
    machines: [machine(0), machine(1)],
    remove: () => names.forEach(remove),
  }
}

function join([one, other]: readonly [string, string]): void {
  ip('netns', 'add', one)
  ip('netns', 'add', other)
  ip('link', 'add', 'cable', 'netns', one, 'type', 'veth', 'peer', 'name', 'cable', 'netns', other)
  for (const [at, name] of [one, other].entries()) {
    ip('-n', name, 'address', 'add', `${ADDRESSES[at]}/24`, 'dev', 'cable')
    for (const link of ['lo', 'cable']) ip('-n', name, 'link', 'set', link, 'up')
  }
}

function ip(...args: readonly string[]): string {
  return execFileSync('ip', args, { encoding: 'utf8', stdio: 'pipe' })
}

/** Of test runs that were killed. */
function abandoned(): readonly string[] {
  const found = [...ip('netns', 'list').matchAll(NAMED)]
  return found.flatMap(([, name = '', pid]) => (isAlive(Number(pid)) ? [] : [name]))
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Never throws: it may be half made. */
function remove(name: string): void {
  try {
    for (const pid of ip('netns', 'pids', name).split('\n').filter(Boolean)) end(Number(pid))
    ip('netns', 'delete', name)
  } catch {
    // There is none.
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

async function onLoopback(error: Error): Promise<TwoMachines> {
  const why = error.message.trim().split('\n').slice(-1).join('')
  const at = async (address: string): Promise<Machine> => ({
    ...{ through: [], address, host: address, port: await freePort(address) },
  })
  return {
    are: `two loopback addresses, since network namespaces can't be made here: ${why}`,
    machines: [await at('127.0.0.2'), await at('127.0.0.3')],
    remove: () => {},
  }
}
