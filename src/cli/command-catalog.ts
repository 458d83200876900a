/**
 * The first level of the command line, in the order of `neo --help`. Invariant 1: the specs of a command load when it
 * is typed, so that `neo --help` and other commands start fast.
 */
import type { Specs, Top } from './spec.ts'

const run = commandsOf(async () => (await import('./specs/run-specs.ts')).RUN)
const work = commandsOf(async () => (await import('./specs/work-specs.ts')).WORK)
const talk = commandsOf(async () => (await import('./specs/talk-specs.ts')).TALK)
const peer = commandsOf(async () => (await import('./specs/peer-specs.ts')).PEER)
const setup = commandsOf(async () => {
  const { completionOf, SETUP } = await import('./specs/setup-specs.ts')
  return { ...SETUP, completion: completionOf(TOPS) }
})

const SECTIONS: Readonly<Record<string, readonly Omit<Top, 'section'>[]>> = {
  Run: [
    run('init', 'Create a Neo home: a git repository with rooms, workspace and templates'),
    run('start', 'Create ./home if it is missing, and run the daemon', 'hidden'),
    run('watch', 'Run the daemon: react to every change until you stop it'),
    run('run', 'Run until nothing is left to do, for CI and cron'),
    run('stop', 'Stop sessions and their child processes'),
    run('wait', 'Wait until tasks end'),
    work('schedule', 'List recurring tasks, show their next runs, run one now'),
  ],
  Look: [
    run('status', 'Show what needs you, what runs, and what waits'),
    run('plan', 'Show what would run now and what it may cost'),
    run('log', 'Show who did what, when and why'),
    work('session', 'List, show and follow sessions; send messages to them'),
    run('usage', 'Show tokens and USD by day, room or model'),
    talk('search', 'Search memories, facts, results and conversations'),
    run('open', 'Open the web page, signed in'),
  ],
  'Work and decide': [
    work('task', 'List, show, create and change tasks'),
    work('room', 'List, show, create, pause and archive rooms'),
    talk('review', 'Review work on branches: show, accept or reject it'),
    talk('ask', 'List approval requests and questions; approve, deny or answer them'),
    talk('say', 'Send a message to the Neo of a room'),
    talk('chat', 'Talk to Neo in the terminal'),
    talk('memory', 'Add, list, find and delete memories'),
    peer('agent', 'Ask agents of other homes, hand them tasks, add and revoke them'),
  ],
  'Set up and maintain': [
    setup('doctor', 'Check that everything Neo needs works, and repair it'),
    setup('config', 'Check all files, show the configuration, print JSON Schema'),
    setup('trust', 'Allow this home to run commands and use your keys'),
    setup('filter', 'List git filters, such as git-crypt, and allow them'),
    setup('clean', 'Remove worktrees and branches of old attempts'),
    setup('member', 'Add, list and remove people and their accounts'),
    peer('access', 'Show what agents of other homes may read and do'),
    peer('mirror', 'Record what happens in an editor, so that answers to other agents are up to date'),
    setup('export', 'Export the home into one file'),
    setup('import', 'Restore an exported home'),
    setup('mcp', 'Serve this home to the model in your editor (MCP)'),
    setup('rpc', 'Call any method of the hub'),
    setup('prime', 'Print instructions for an agent that works in this home'),
    setup('completion', 'Print a script for shell completion'),
  ],
}

export const TOPS: readonly Top[] = Object.entries(SECTIONS).flatMap(([section, tops]) =>
  tops.map((top) => ({ ...top, section })),
)

/** Makes entries of commands whose specs load together. */
function commandsOf<K extends string>(load: () => Promise<Readonly<Record<K, Specs>>>) {
  return (name: K, about: string, hidden?: 'hidden'): Omit<Top, 'section'> => ({
    name,
    about,
    hidden,
    load: async () => (await load())[name],
  })
}
