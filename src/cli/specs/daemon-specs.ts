/**
 * Commands that run, look and stop: words and options.
 */
import type { Option, Spec } from '../spec.ts'
import { TRUST_ONCE } from './trust-spec.ts'

const TIMEOUT: Option = { flags: '--timeout <duration>', about: 'give up after so long, e.g. 10m' }

export const WATCH: readonly Spec[] = [
  {
    name: 'watch',
    about: 'the daemon: looks at the files and reacts, until SIGINT or SIGTERM; a second signal ends at once',
    options: [TRUST_ONCE],
    example: 'neo watch --home work',
    load: async () => (await import('../daemon/run-daemon.ts')).watch,
  },
]

export const RUN: readonly Spec[] = [
  {
    name: 'run',
    about:
      'the same without staying: until nothing is left to do; exit code 1 where a task failed; for CI and cron',
    options: [
      { flags: '--room <room>', about: 'start tasks of this room only' },
      { flags: '--task <task>', about: 'start this task only' },
      TIMEOUT,
      TRUST_ONCE,
    ],
    example: 'neo run --room welcome --timeout 10m --json',
    load: async () => (await import('../daemon/run-daemon.ts')).run,
  },
]

export const PLAN: readonly Spec[] = [
  {
    name: 'plan',
    about: 'what would be done now, on which worker and model; writes nothing',
    example: 'neo plan',
    load: async () => (await import('../status/show-plan.ts')).showPlan,
  },
]

export const STATUS: readonly Spec[] = [
  {
    name: 'status',
    about: 'what needs you, what runs, what waits and on what, and whether all is well',
    example: 'neo status',
    load: async () => (await import('../status/show-status.ts')).status,
  },
]

export const STOP: readonly Spec[] = [
  {
    name: 'stop',
    args: '[session]',
    about: 'stop sessions for real, children included; their tasks become blocked',
    options: [
      { flags: '--room <room>', about: 'all sessions of a room' },
      { flags: '--all', about: 'all sessions; and nothing starts until watch or run begins again' },
    ],
    example: 'neo stop --room shop',
    load: async () => (await import('../daemon/stop-daemon.ts')).stop,
  },
]

export const WAIT: readonly Spec[] = [
  {
    name: 'wait',
    args: '[task...]',
    about: 'wait until tasks end (without a name: all that are pending or run); exit code 1 where one failed',
    options: [TIMEOUT],
    example: 'neo wait welcome/sum-up --timeout 5m',
    load: async () => (await import('../daemon/wait-for.ts')).wait,
  },
]
