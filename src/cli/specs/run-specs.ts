/** Commands that create a home, run it, and show how it is. */
import type { Option, Specs } from '../spec.ts'

const TIMEOUT: Option = { flags: '--timeout <duration>', about: 'Give up after this time, such as 10m' }

const TRUST_ONCE: Option = {
  flags: '--trust',
  about: 'Trust this home for this one command (same as NEO_TRUST=1)',
}

export const RUN = {
  init: {
    args: '[dir]',
    about:
      'Create a Neo home in a folder (default: this one). Creates a git repository if there is none, writes ' +
      'the files, commits them and prints the next steps. Safe to run again: existing files are not changed.',
    options: [
      { flags: '--room <name>', about: 'Also create a room with this name' },
      { flags: '--template <name>', about: 'Create that room from templates/rooms/<name>/' },
      { flags: '--yes', about: 'Do not ask before adding files to a repository that has commits' },
    ],
    example: 'neo init work --room shop',
    load: async () => (await import('../init/init.ts')).init,
  },
  start: {
    about: 'Create ./home with example tasks if it is missing, and run the daemon (npm start)',
    example: 'npm start',
    load: async () => (await import('../init/init.ts')).start,
  },
  watch: {
    about:
      'Run the daemon. It starts tasks as soon as they can run, and reacts to every saved file, until you ' +
      'press Ctrl-C. Running steps continue after it ends; press Ctrl-C twice to end at once. ' +
      'NEO_LOG=warn prints less.',
    options: [TRUST_ONCE],
    example: 'neo watch --home work',
    load: async () => (await import('../daemon/run-daemon.ts')).watch,
  },
  run: {
    about:
      'Run tasks until nothing is left to do, then exit. For CI and cron. Exit code 1 if a task failed, ' +
      '0 if everything else waits for a person.',
    options: [
      { flags: '--room <room>', about: 'Start only tasks in this room' },
      { flags: '--task <task>', about: 'Start only this task' },
      TIMEOUT,
      TRUST_ONCE,
    ],
    example: 'neo run --room welcome --timeout 10m --json',
    load: async () => (await import('../daemon/run-daemon.ts')).run,
  },
  stop: {
    args: '[session|task]',
    about: 'Stop a session and its child processes, by its id or by its task. Its task becomes blocked.',
    options: [
      { flags: '--room <room>', about: 'Stop all sessions of this room' },
      {
        flags: '--all',
        about: 'Stop all sessions. Nothing starts until you run neo watch or neo run again.',
      },
    ],
    example: 'neo stop --room shop',
    load: async () => (await import('../daemon/stop-daemon.ts')).stop,
  },
  wait: {
    args: '[task...]',
    about:
      'Wait until tasks end. Without a task: until all pending and running tasks end. Exit code 1 if one failed.',
    options: [TIMEOUT],
    example: 'neo wait welcome/sum-up --timeout 5m',
    load: async () => (await import('../daemon/wait-for.ts')).wait,
  },
  status: {
    about: 'Show what needs you, what runs, what waits and for what, and the health of the home',
    example: 'neo status',
    load: async () => (await import('../status/show-status.ts')).status,
  },
  plan: {
    about: 'Show what would run now and after that, with worker, model and estimated cost. Changes nothing.',
    example: 'neo plan',
    load: async () => (await import('../status/show-plan.ts')).showPlan,
  },
  open: {
    about: 'Open the web page of the running daemon in your browser, signed in',
    options: [
      { flags: '--print', about: 'Print the sign-in link instead. It works once, within ten minutes.' },
    ],
    example: 'neo open',
    load: async () => (await import('../commands/open-page.ts')).open,
  },
  usage: {
    about: 'Show the tokens and USD that models used, with a chart. Calls without a known price are marked.',
    options: [
      { flags: '--room <room>', about: 'Only this room' },
      {
        flags: '--since <date>',
        about: 'Only from this date or time on, or the last days, such as 7d (default: 30d)',
      },
      { flags: '--by <what>', about: 'Group by (default: day)', choices: ['day', 'room', 'model'] },
    ],
    example: 'neo usage --by model --since 7d',
    load: async () => (await import('../commands/show-usage.ts')).showUsage,
  },
  log: {
    args: '[subject]',
    about:
      'Show who did what, when and why, oldest first: for a task, a session or a room, or for the whole home. ' +
      'Reads git, transcripts and the audit log.',
    options: [
      { flags: '-n, --limit <count>', about: 'Show this many of the newest entries (default: 50)' },
      { flags: '--commits', about: 'Show only commits' },
      {
        flags: '--kind <kinds>',
        about: 'Show only these kinds, separated by commas: git, audit, transcript, tool_call, complete, …',
      },
      { flags: '--session <id>', about: 'Show only this session', param: 'sessionId' },
      {
        flags: '--actor <who>',
        about: 'Show only this actor: human, neo, member:ID, session:ID, or a git author',
        param: 'actor',
      },
      { flags: '--since <time>', about: 'Show entries from this date or time on', param: 'since' },
      { flags: '--until <time>', about: 'Show entries up to this date or time', param: 'until' },
      {
        flags: '--cursor <cursor>',
        about: 'Show the page before; each page ends with its cursor',
        param: 'cursor',
      },
    ],
    example: 'neo log welcome/look-around',
    load: async () => (await import('../commands/log-command.ts')).log,
  },
} satisfies Record<string, Specs>
