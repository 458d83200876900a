/**
 * `neo rpc`: words and options. Leaves to rpc/rpc.ts: what it does.
 */
import type { Spec } from '../spec.ts'

export const RPC: readonly Spec[] = [
  {
    name: 'rpc',
    args: '[method] [parameters]',
    about:
      'any method of the hub, with its parameters as a JSON object (- from stdin); alone it lists the methods',
    example: `neo rpc task.list '{"roomId": "welcome", "status": ["completed"]}'`,
    load: async () => (await import('../rpc/rpc.ts')).rpc,
  },
]
