/**
 * `neo mcp --print-config`: prints the configuration for an editor. Changes no file. Invariant 1: the printed
 * configuration starts this program for this home, from any folder.
 */
import { accessSync, constants, realpathSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { composeFiles } from '../../compose.ts'
import { findHome } from '../find-home.ts'
import { packageFolder } from '../package-folder.ts'
import type { Call, Env } from '../spec.ts'

interface Started {
  readonly type: 'stdio'
  readonly command: string
  readonly args: readonly string[]
}

interface Client {
  readonly file: string
  /** The key that lists servers. */
  readonly key: 'mcpServers' | 'servers'
  readonly more: (started: Started) => string
}

const CLIENTS: Readonly<Record<string, Client>> = {
  claude: {
    file: '.mcp.json in the folder of your project',
    key: 'mcpServers',
    more: ({ command, args }) => `or run: claude mcp add neo -- ${[command, ...args].map(quoted).join(' ')}`,
  },
  cursor: {
    file: '.cursor/mcp.json in the folder of your project',
    key: 'mcpServers',
    more: () => 'or to ~/.cursor/mcp.json, for all projects',
  },
  vscode: {
    file: '.vscode/mcp.json in the folder of your project',
    key: 'servers',
    more: () => 'or run the command "MCP: Open User Configuration", for all projects',
  },
}

export function printConfig(call: Call, name: string): number {
  const client = Object.hasOwn(CLIENTS, name) ? CLIENTS[name] : undefined
  if (client === undefined) return 2
  const { out, around } = call
  const started = startedBy(around.env, findHome(call, composeFiles()))
  const config = { [client.key]: { neo: started } }
  out.data('mcp.config', { client: name, config })
  out.block(JSON.stringify(config, null, 2))
  out.note({
    text: `Add this to ${client.file}; ${client.more(started)}`,
    style: 'dim',
  })
  return 0
}

/** `neo` if PATH leads to this program; else its path, with the node that runs it. */
function startedBy(env: Env, home: string): Started {
  const main = join(packageFolder(), 'dist', 'main.js')
  const args = ['mcp', '--home', home]
  return isOnPath(env, main)
    ? { type: 'stdio', command: 'neo', args }
    : { type: 'stdio', command: process.execPath, args: [main, ...args] }
}

/** The first `neo` on PATH counts, as in a shell. */
function isOnPath(env: Env, main: string): boolean {
  for (const folder of (env['PATH'] ?? '').split(delimiter).filter((one) => one !== '')) {
    const file = join(folder, 'neo')
    try {
      accessSync(file, constants.X_OK)
      return realpathSync(file) === realpathSync(main)
    } catch {
      // Not in this folder.
    }
  }
  return false
}

/** For a POSIX shell. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
