/**
 * The commands of `neo session`: words and options.
 */
import { SESSION_STATUSES } from '../../domain/session/session.ts'
import type { Spec } from '../spec.ts'

export const SESSION: readonly Spec[] = [
  {
    name: 'list',
    about: 'sessions, newest first',
    options: [
      { flags: '--room <room>', about: 'of this room' },
      { flags: '--status <status>', about: 'with this status', choices: SESSION_STATUSES },
      { flags: '--limit <count>', about: 'so many; default 50' },
    ],
    example: 'neo session list --room welcome',
    load: async () => (await import('../session/list-sessions.ts')).listSessions,
  },
  {
    name: 'show',
    args: '<session>',
    about: 'one session, by its id or by its task (then the newest)',
    example: 'neo session show welcome/look-around',
    load: async () => (await import('../session/show-session.ts')).showSession,
  },
  {
    name: 'tail',
    args: '<session>',
    about: 'the end of its transcript; with -f until it ends',
    options: [
      { flags: '-f, --follow', about: 'print what comes, until the session ends' },
      { flags: '-n, --lines <count>', about: 'so many entries; default 20' },
    ],
    example: 'neo session tail welcome/look-around -f',
    load: async () => (await import('../session/tail-session.ts')).tail,
  },
  {
    name: 'send',
    args: '<session> <text>',
    about: 'a message to a session at work, or the answer to its question; the text with - from stdin',
    example: "neo session send welcome/ask-an-agent 'Keep it short'",
    load: async () => (await import('../session/send-to-session.ts')).send,
  },
  {
    name: 'resume',
    args: '<session>',
    about: 'go on with a session that was left where it was',
    example: 'neo session resume s-4k2m9x',
    load: async () => (await import('../session/resume.ts')).resume,
  },
]
