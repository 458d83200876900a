/**
 * The commands of `neo schedule`: words and options.
 */
import type { Spec } from '../spec.ts'

export const SCHEDULE: readonly Spec[] = [
  {
    name: 'list',
    about: 'schedules with their next and last run; what is wrong with the others',
    options: [{ flags: '--room <room>', about: 'of this room' }],
    example: 'neo schedule list',
    load: async () => (await import('../schedule/list-schedules.ts')).listSchedules,
  },
  {
    name: 'next',
    args: '[schedule]',
    about: 'when the next runs are, of one schedule or of all',
    options: [
      { flags: '--count <count>', about: 'so many; default 5' },
      { flags: '--room <room>', about: 'of this room' },
    ],
    example: 'neo schedule next --count 10',
    load: async () => (await import('../schedule/next.ts')).nextRuns,
  },
  {
    name: 'run',
    args: '<schedule>',
    about: 'make its task or message now, beside its own times; prints the path',
    example: 'neo schedule run welcome/nightly',
    load: async () => (await import('../schedule/run-schedule.ts')).runSchedule,
  },
]
