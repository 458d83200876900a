/**
 * The commands of `neo filter`: words and options.
 */
import type { Spec } from '../spec.ts'

export const FILTER: readonly Spec[] = [
  {
    name: 'list',
    args: '[folder]',
    about: 'list the git filters of a repository, and which of them Neo runs',
    example: 'neo filter list',
    load: async () => (await import('../doctor/filter-command.ts')).listFilters,
  },
  {
    name: 'allow',
    args: '<filter> [folder]',
    about: 'let Neo run a filter in a repository, also over what models write, as it is configured now',
    example: 'neo filter allow git-crypt',
    load: async () => (await import('../doctor/filter-command.ts')).allowFilter,
  },
  {
    name: 'deny',
    args: '<filter> [folder]',
    about: 'take back what `neo filter allow` allowed',
    example: 'neo filter deny git-crypt',
    load: async () => (await import('../doctor/filter-command.ts')).denyFilter,
  },
]
