/**
 * The configuration of MCP clients: how each writes a server that it starts, and in which file. Pure. From their
 * documentation in November 2026. Codex refuses keys that it doesn't know, so only VS Code, Claude Code and Cursor get `type`.
 */
import { shellWord } from '../../domain/text/shell-word.ts'

export interface StartedServer {
  readonly command: string
  readonly args: readonly string[]
}

export interface McpClient {
  /** Where it goes, for people. */
  readonly file: string
  /** Another place or way. */
  readonly more: (started: StartedServer) => string
  readonly config: (started: StartedServer) => object
  readonly text: (config: object) => string
  /** It replaces `$NAME` or `${NAME}` in texts by variables. */
  readonly expands: boolean
}

const json = (config: object): string => JSON.stringify(config, null, 2)
const typed = ({ command, args }: StartedServer): object => ({ type: 'stdio', command, args })
const plain = ({ command, args }: StartedServer): object => ({ command, args })

export const MCP_CLIENTS: Readonly<Record<string, McpClient>> = {
  claude: {
    file: '.mcp.json in the folder of your project',
    more: (started) => `or run: claude mcp add neo -- ${shellWords(started)}`,
    config: (started) => ({ mcpServers: { neo: typed(started) } }),
    text: json,
    expands: true,
  },
  cursor: {
    file: '.cursor/mcp.json in the folder of your project',
    more: () => 'or to ~/.cursor/mcp.json, for all projects',
    config: (started) => ({ mcpServers: { neo: typed(started) } }),
    text: json,
    expands: true,
  },
  vscode: {
    file: '.vscode/mcp.json in the folder of your project',
    more: () => 'or run the command "MCP: Open User Configuration", for all projects',
    config: (started) => ({ servers: { neo: typed(started) } }),
    text: json,
    expands: true,
  },
  codex: {
    file: '~/.codex/config.toml',
    more: (started) => `or run: codex mcp add neo -- ${shellWords(started)}`,
    config: (started) => ({ mcp_servers: { neo: plain(started) } }),
    text: codexToml,
    expands: false,
  },
  gemini: {
    file: '~/.gemini/settings.json',
    more: () => 'or to .gemini/settings.json in the folder of your project',
    config: (started) => ({ mcpServers: { neo: plain(started) } }),
    text: json,
    expands: true,
  },
  zed: {
    file: '~/.config/zed/settings.json',
    more: () => 'or to .zed/settings.json in the folder of your project',
    config: (started) => ({ context_servers: { neo: plain(started) } }),
    text: json,
    expands: false,
  },
  windsurf: {
    file: '~/.codeium/windsurf/mcp_config.json',
    more: () => 'or open it in Windsurf: the MCP icon, then Configure',
    config: (started) => ({ mcpServers: { neo: plain(started) } }),
    text: json,
    expands: true,
  },
}

/** `[mcp_servers.neo]` with texts and lists of texts. */
function codexToml(config: object): string {
  return Object.entries(config)
    .flatMap(([table, servers]) =>
      Object.entries(servers as object).map(([name, server]) => {
        const lines = Object.entries(server as object).map(([key, value]) => `${key} = ${tomlValue(value)}`)
        return [`[${table}.${name}]`, ...lines].join('\n')
      }),
    )
    .join('\n\n')
}

/** A JSON string is a basic string of TOML, but for DEL, which TOML wants escaped. */
function tomlValue(value: string | readonly string[]): string {
  if (typeof value !== 'string') return `[${value.map(tomlValue).join(', ')}]`
  return JSON.stringify(value).replaceAll('\u007f', '\\u007f')
}

function shellWords({ command, args }: StartedServer): string {
  return [command, ...args].map(shellWord).join(' ')
}
