/**
 * `neo log`, `doctor`, `prime`, `completion`: words and options. Leaves to care/: what they do.
 */
import type { Spec } from '../spec.ts'

export const LOG: readonly Spec[] = [
  {
    name: 'log',
    args: '[subject]',
    about: 'who did what, when and why: of a task, a room, or all; from git and transcripts, oldest first',
    options: [
      { flags: '-n, --limit <count>', about: 'so many lines; default 50' },
      { flags: '--commits', about: 'commits only' },
    ],
    example: 'neo log welcome/look-around',
    load: async () => (await import('../care/log.ts')).log,
  },
]

export const DOCTOR: readonly Spec[] = [
  {
    name: 'doctor',
    about:
      'checks git, configuration, files, models, sandbox, forges, locks, worktrees, disk; exit code 1 where something is wrong',
    options: [
      { flags: '--models', about: 'ask models that only tasks name, too' },
      { flags: '--fix', about: 'mend what is safe to mend' },
      { flags: '--dry-run', about: 'show what --fix would do' },
    ],
    example: 'neo doctor --fix --dry-run',
    load: async () => (await import('../care/doctor.ts')).doctor,
  },
]

export const PRIME: readonly Spec[] = [
  {
    name: 'prime',
    about: 'short instructions for an agent that works in this home',
    example: 'neo prime',
    load: async () => (await import('../care/prime.ts')).prime,
  },
]

export const COMPLETION: readonly Spec[] = [
  {
    name: 'completion',
    args: '<shell>',
    about: 'completion for bash, zsh or fish',
    example: 'source <(neo completion bash)',
    load: async () => (await import('../care/completion.ts')).completion,
  },
]
