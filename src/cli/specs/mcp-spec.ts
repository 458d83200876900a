/**
 * `neo mcp`: words and options.
 */
import type { Spec } from '../spec.ts'

export const MCP: readonly Spec[] = [
  {
    name: 'mcp',
    about: 'this home for the model in an editor: a server of the Model Context Protocol on stdin and stdout',
    options: [
      {
        flags: '--print-config <client>',
        about: 'print what to put into the configuration of an editor',
        choices: ['claude', 'cursor', 'vscode'],
      },
    ],
    example: 'neo mcp --print-config claude',
    load: async () => (await import('../mcp/mcp-command.ts')).mcp,
  },
]
