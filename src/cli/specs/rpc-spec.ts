/**
 * `neo rpc`: words and options.
 */
import type { Spec } from '../spec.ts'

export const RPC: readonly Spec[] = [
  {
    name: 'rpc',
    args: '[method] [parameters]',
    about:
      'any method of the hub, with its parameters as a JSON object (- from stdin); alone it lists the methods',
    options: [
      { flags: '--stdio', about: 'messages of JSON-RPC on stdin and stdout, one a line, subscriptions too' },
    ],
    example: `neo rpc task.list '{"roomId": "welcome", "status": ["completed"]}'`,
    load: async () => (await import('../rpc/rpc-command.ts')).rpc,
  },
]
