/**
 * `neo log`, `doctor`, `prime`, `completion`: words and options.
 */
import type { Spec, Top } from '../spec.ts'

export const LOG: readonly Spec[] = [
  {
    name: 'log',
    args: '[subject]',
    about:
      'who did what, when and why: of a task, a session, a room, or all; from git, transcripts and the audit log, oldest first',
    options: [
      { flags: '-n, --limit <count>', about: 'so many of the newest; default 50' },
      { flags: '--commits', about: 'commits only' },
      {
        flags: '--kind <kinds>',
        about: 'git, audit, transcript, decision, read, tool_call, complete, …; with commas',
      },
      { flags: '--session <id>', about: 'of this session' },
      { flags: '--actor <who>', about: 'human, neo, member:ID, session:ID, or a name in git' },
      { flags: '--since <time>', about: 'from this time or day on' },
      { flags: '--until <time>', about: 'up to this time' },
      { flags: '--cursor <cursor>', about: 'the page before; the last line of a page says it' },
    ],
    example: 'neo log welcome/look-around',
    load: async () => (await import('../doctor/log-command.ts')).log,
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
    load: async () => (await import('../doctor/doctor.ts')).doctor,
  },
]

export const CLEAN: readonly Spec[] = [
  {
    name: 'clean',
    about: 'remove worktrees and branches of ended attempts that retention no longer keeps',
    options: [{ flags: '--dry-run', about: 'show what would be removed' }],
    example: 'neo clean --dry-run',
    load: async () => (await import('../doctor/clean.ts')).clean,
  },
]

export const PRIME: readonly Spec[] = [
  {
    name: 'prime',
    about: 'short instructions for an agent that works in this home',
    example: 'neo prime',
    load: async () => (await import('../doctor/prime.ts')).prime,
  },
]

/** @param tops all commands, which it completes */
export function completionOf(tops: readonly Top[]): readonly Spec[] {
  return [
    {
      name: 'completion',
      args: '<shell>',
      about: 'completion for bash, zsh or fish',
      example: 'source <(neo completion bash)',
      load: async () => {
        const { completion } = await import('../doctor/completion.ts')
        return (call) => completion(call, tops)
      },
    },
  ]
}
