/** Commands that set up and maintain a home, and that connect programs with it. */
import { CHANNEL_NAMES } from '../../domain/policy/channel-kinds.ts'
import { TRANSCRIPT_FORMATS } from '../../files/body/transcript-as.ts'
import type { Spec, Specs, Top } from '../spec.ts'

const PASSPHRASE = {
  flags: '--passphrase-fd <number>',
  about: 'Read the passphrase from this file descriptor (default: $NEO_PASSPHRASE, else Neo asks)',
}

/** @param tops all commands, which it completes */
export function completionOf(tops: readonly Top[]): Spec {
  return {
    args: '<shell>',
    about: 'Print a completion script for bash, zsh or fish',
    example: 'source <(neo completion bash)',
    load: async () => {
      const { completion } = await import('../commands/completion.ts')
      return (call) => completion(call, tops)
    },
  }
}

export const SETUP = {
  doctor: {
    about:
      'Check git, configuration, files, models, sandbox, forges, locks, worktrees and disk. Exit code 1 if ' +
      'something is wrong.',
    options: [
      { flags: '--models', about: 'Also check models that only tasks name' },
      { flags: '--fix', about: 'Repair what is safe to repair' },
      { flags: '--dry-run', about: 'Show what --fix would do' },
    ],
    example: 'neo doctor --fix --dry-run',
    load: async () => (await import('../doctor/doctor.ts')).doctor,
  },
  config: {
    check: {
      about: 'Check every file of the home. Exit code 1 if one has an error.',
      example: 'neo config check',
      load: async () => (await import('../config/check-config.ts')).check,
    },
    show: {
      args: '[key]',
      about: 'Show the configuration in use: neo.yaml, defaults and environment. Secrets are shown as ***.',
      example: 'neo config show daemon.concurrency',
      load: async () => (await import('../config/check-config.ts')).show,
    },
    schema: {
      args: '[kind]',
      about: 'Print JSON Schema for your editor, of one kind of file or of all',
      example: 'neo config schema task',
      load: async () => (await import('../config/print-schema.ts')).schema,
    },
  },
  trust: {
    about:
      'Trust this home: let it run commands and use your keys. Needed for a home that you did not create, and ' +
      'again when its connections or commands change.',
    options: [
      { flags: '--show', about: 'Only show what trusting it allows, and what changed' },
      { flags: '--remove', about: 'No longer trust it' },
    ],
    example: 'neo trust --show',
    load: async () => (await import('../trust/trust-command.ts')).trust,
  },
  filter: {
    list: {
      args: '[folder]',
      about: 'List the git filters of a repository, and which of them Neo runs',
      example: 'neo filter list',
      load: async () => (await import('../commands/filter-command.ts')).listFilters,
    },
    allow: {
      args: '<filter> [folder]',
      about: 'Allow Neo to run a filter as it is configured now, also on files that models write',
      example: 'neo filter allow git-crypt',
      load: async () => (await import('../commands/filter-command.ts')).allowFilter,
    },
    deny: {
      args: '<filter> [folder]',
      about: 'No longer allow a filter',
      example: 'neo filter deny git-crypt',
      load: async () => (await import('../commands/filter-command.ts')).denyFilter,
    },
  },
  clean: {
    about: 'Remove worktrees and branches of old attempts, as retention in neo.yaml says',
    options: [{ flags: '--dry-run', about: 'Show what would be removed' }],
    example: 'neo clean --dry-run',
    load: async () => (await import('../doctor/worktrees.ts')).clean,
  },
  member: {
    list: {
      about: 'List people with their role, rooms and accounts',
      example: 'neo member list',
      load: async () => (await import('../commands/member-commands.ts')).listMembers,
    },
    add: {
      args: '<id>',
      about: 'Add a member and print the path of the file',
      options: [
        { flags: '--name <name>', about: 'Set the name', param: 'name' },
        {
          flags: '--role <role>',
          about: 'Set the role: parent, member, guest or child (default: member)',
          param: 'role',
        },
        { flags: '--room <room>', about: 'Give access to this room', many: true, param: 'rooms' },
      ],
      example: 'neo member add kim --role child --room lobby',
      load: async () => (await import('../commands/member-commands.ts')).addMember,
    },
    pair: {
      args: '<id>',
      about: 'Print a code that links an account in a channel to a member. It works once.',
      options: [
        {
          flags: '--channel <channel>',
          about: 'Link an account in this channel (default: the configured one)',
          choices: CHANNEL_NAMES,
          param: 'channel',
        },
      ],
      example: 'neo member pair kim',
      load: async () => (await import('../commands/member-commands.ts')).pairMember,
    },
    token: {
      args: '<id>',
      about: 'Create a token for web page and API with the rights of a member. It replaces the earlier one.',
      options: [{ flags: '--revoke', about: 'Revoke the token instead' }],
      example: 'neo member token kim',
      load: async () => (await import('../commands/member-commands.ts')).memberToken,
    },
    remove: {
      args: '<id>',
      about: 'Remove a member. The history of the file stays in git.',
      example: 'neo member remove kim',
      load: async () => (await import('../commands/member-commands.ts')).removeMember,
    },
  },
  export: {
    args: '<file>',
    about:
      'Export the home into one file: configuration, files, git history and audit log. Never includes .env ' +
      'or keys.',
    options: [
      { flags: '--private', about: 'Include private conversations, encrypted with a passphrase' },
      PASSPHRASE,
      {
        flags: '--format <name>',
        about: 'Instead, write all transcripts of rooms into a new folder, in the format of another program',
        choices: TRANSCRIPT_FORMATS,
      },
    ],
    example: 'neo export home.neo --private',
    load: async () => (await import('../export/export-home.ts')).exportHome,
  },
  import: {
    args: '<file> <dir>',
    about: 'Restore an exported home into a new folder. A damaged or changed file is refused completely.',
    options: [
      PASSPHRASE,
      { flags: '--without-private', about: 'Leave out private conversations; then no passphrase is needed' },
    ],
    example: 'neo import home.neo ./home',
    load: async () => (await import('../export/import.ts')).importHome,
  },
  rpc: {
    args: '[method] [parameters]',
    about:
      'Call a method of the hub with a JSON object of parameters. Use - to read them from stdin. Without a ' +
      'method, list all methods.',
    options: [{ flags: '--stdio', about: 'Speak JSON-RPC on stdin and stdout, one message a line' }],
    example: `neo rpc task.list '{"roomId": "welcome", "status": ["completed"]}'`,
    load: async () => (await import('../commands/rpc-command.ts')).rpc,
  },
  mcp: {
    about: 'Serve this home to the model in your editor, as an MCP server on stdin and stdout',
    options: [
      {
        flags: '--print-config <client>',
        about:
          'Print the configuration for your editor: claude (.mcp.json), cursor (.cursor/mcp.json), ' +
          'vscode (.vscode/mcp.json), codex (~/.codex/config.toml), gemini (~/.gemini/settings.json), ' +
          'zed (~/.config/zed/settings.json), windsurf (~/.codeium/windsurf/mcp_config.json)',
        choices: ['claude', 'cursor', 'vscode', 'codex', 'gemini', 'zed', 'windsurf'],
      },
    ],
    example: 'neo mcp --print-config claude',
    load: async () => (await import('../commands/mcp-command.ts')).mcp,
  },
  prime: {
    about: 'Print short instructions for an agent that works in this home',
    example: 'neo prime',
    load: async () => (await import('../commands/prime.ts')).prime,
  },
} satisfies Record<string, Specs>
