/** Homes whose room has an MCP server that does tasks: `worker: mcp:coder`. Imported by the tests of it. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { onTestFinished } from 'vitest'
import { type Home, makeHome } from './home.ts'

export const WORKER_KEY = 'value-of-the-worker-key'
const SERVER = resolve('test/path/mcp-worker.mjs')
const TOP = resolve('.')

export interface WorkerHome extends Home {
  /** Process ids, one for each call of the server. */
  calls(): readonly number[]
}

export interface ServerOptions {
  /** `many`: it has several tools that can take a task. */
  readonly mode?: string
  readonly worker?: string
  /** Lines of ROOM.md. */
  readonly room?: readonly string[]
}

/** The header of a room with the server, and the folder of its log. */
export function roomWithServer({ mode = '', worker = 'mcp:coder', room = [] }: ServerOptions = {}): {
  readonly text: string
  readonly log: string
} {
  const dir = mkdtempSync(join(tmpdir(), 'neo-mcp-worker-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }))
  const log = join(dir, 'log')
  writeFileSync(log, '')
  const lines = [
    '---',
    `worker: ${worker}`,
    'review: none',
    ...room,
    'mcp_servers:',
    '  coder:',
    '    command: node',
    `    args: [${SERVER}, "${mode}"]`,
    `    env: { WORKER_LOG: ${log}, WORKER_KEY: "\${CODER_KEY}", OUTSIDE: ${dir} }`,
    `    read: [${TOP}]`,
    `    write: [${log}]`,
    '---',
    'Be brief.',
    '',
  ]
  return { text: lines.join('\n'), log }
}

export function workerHome(options: ServerOptions = {}): WorkerHome {
  const { text, log } = roomWithServer(options)
  const config = 'model: rules\ndaemon: { settle: 0s, rescan: 1s }\n'
  const home = makeHome({ 'neo.yaml': config, 'rooms/shop/ROOM.md': text })
  home.write('.env', `CODER_KEY=${WORKER_KEY}\n`)
  return { ...home, calls: () => callsIn(log) }
}

export function callsIn(log: string): readonly number[] {
  return readFileSync(log, 'utf8').split('\n').filter(Boolean).map(Number)
}
