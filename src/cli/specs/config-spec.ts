/**
 * The commands of `neo config`: words and options.
 */
import type { Spec } from '../spec.ts'

export const CONFIG: readonly Spec[] = [
  {
    name: 'check',
    about: 'read every file of the home; exit code 1 when one is broken',
    example: 'neo config check',
    load: async () => (await import('../config/check-config.ts')).check,
  },
  {
    name: 'show',
    args: '[key]',
    about: 'what is in force: neo.yaml, defaults and environment; secrets as ***',
    example: 'neo config show daemon.concurrency',
    load: async () => (await import('../config/show-config.ts')).show,
  },
  {
    name: 'schema',
    args: '[kind]',
    about: 'JSON Schema for editors: of one kind of file, or of all',
    example: 'neo config schema task',
    load: async () => (await import('../config/print-schema.ts')).schema,
  },
]
