/**
 * `neo mcp`: an MCP server for an editor's model, on stdin and stdout, and its configuration for an editor. Invariant 1:
 * stdout gets only messages. Invariant 2: every call has the rights of an editor's model: see docs/mcp.md. Invariant 3:
 * the printed configuration starts this program for this home, from any folder. Invariant 4: if the home can't be opened,
 * each tool says why: editors hide why a server ends.
 */
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { lastingHub, openedLater } from '../../client/lasting-hub.ts'
import { composeFiles } from '../../compose.ts'
import { NeoError, whyOf } from '../../domain/home/error.ts'
import { HUB_CODES, HubError } from '../../hub/hub.ts'
import { serveMcp } from '../../servers/mcp/mcp-stdio.ts'
import { findHome } from '../find-home.ts'
import { dim } from '../output.ts'
import { packageFolder, programOnPath } from '../package-folder.ts'
import type { Call, Env } from '../spec.ts'
import { withHub } from '../with-hub.ts'
import { MCP_CLIENTS, type StartedServer } from './mcp-clients.ts'

const MOST_SHOWN = 1024 * 1024

export async function mcp(call: Call): Promise<number> {
  const client = call.text('printConfig')
  if (client !== null) return printConfig(call, client)
  return await withHub(call, async (client) => {
    const { stdin, stdout, stderr, version, onSignal } = call.around
    const files = composeFiles()
    const home = findHome(call, files)
    const log = (line: string) =>
      void stderr.write(`neo mcp: ${line.replaceAll(/\s+/g, ' ').slice(0, 500)}\n`)
    const hub = openedLater(
      async () => lastingHub(await client.local()),
      (error) => {
        log(whyOf(error))
        return refusalOf(error)
      },
    )
    const text = (path: string): string | null => {
      const read = files.read(join(home, path), MOST_SHOWN)
      return read.kind === 'file' ? read.bytes.toString('utf8') : null
    }
    const stop = onSignal(() => stdin.destroy())
    try {
      await serveMcp({
        home: { hub, principal: { kind: 'editor' }, version, text },
        input: stdin,
        output: stdout,
        log,
      })
    } finally {
      stop()
      await hub.end()
    }
    return 0
  })
}

/** For a model: nothing of the files of a home that isn't trusted. */
function refusalOf(error: unknown): HubError {
  if (!(error instanceof NeoError)) return new HubError(HUB_CODES.internal, 'Internal error')
  const { message, code, more } = error
  const said = code === 'refused' ? NOT_TRUSTED : message
  return new HubError(
    HUB_CODES.busy,
    more.next === undefined ? said : `${said}. Tell your user: ${more.next}`,
  )
}

const NOT_TRUSTED = 'Cannot use this home: it is not trusted on this machine, or it changed since then'

export function printConfig(call: Call, name: string): number {
  const client = Object.hasOwn(MCP_CLIENTS, name) ? MCP_CLIENTS[name] : undefined
  if (client === undefined) return 2
  const { out, around } = call
  const started = startedBy(around.env, findHome(call, composeFiles()))
  const config = client.config(started)
  out.data('mcp.config', { client: name, config })
  out.block(client.text(config))
  out.note(dim(`Add this to ${client.file}; ${client.more(started)}`))
  const variable = [started.command, ...started.args].find((word) => word.includes('$'))
  if (client.expands && variable !== undefined)
    out.note({
      text: `${name} may read "$" in ${variable} as a variable: use a path without "$"`,
      style: 'yellow',
    })
  return 0
}

/** `neo` if PATH leads to this program; else its path, with the node that runs it. */
function startedBy(env: Env, home: string): StartedServer {
  const main = join(packageFolder(), 'dist', 'main.js')
  const args = ['mcp', '--home', home]
  const found = programOnPath('neo', env)
  return found !== null && realpathSync(found) === realpathSync(main)
    ? { command: 'neo', args }
    : { command: process.execPath, args: [main, ...args] }
}
