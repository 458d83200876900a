/** Commands about agents of other homes. */
import { PEER_PRIORITIES } from '../../domain/peer/peer.ts'
import type { Option, Specs } from '../spec.ts'

const CONTEXT: Option = {
  flags: '--context <context>',
  about: 'What it is about, such as repository:acme/webapp',
  many: true,
}

export const PEER = {
  agent: {
    status: {
      about: 'Show how this home is reached, its key, and the agents that it knows',
      example: 'neo agent status',
      load: async () => (await import('../agent/show-agents.ts')).agentStatus,
    },
    list: {
      about: 'List the agents of other homes',
      example: 'neo agent list',
      load: async () => (await import('../agent/show-agents.ts')).listAgents,
    },
    keygen: {
      about:
        'Create the key of this home if it has none, and print the file that others save to know it. An existing key stays.',
      example: 'neo agent keygen',
      load: async () => (await import('../agent/change-agents.ts')).keygen,
    },
    add: {
      args: '<id> [source]',
      about:
        'Add an agent of another home, and print the path of its file. Use - to read what neo agent keygen printed there. ' +
        'With only --endpoint, Neo shows the key that it finds, and asks you to compare it.',
      options: [
        {
          flags: '--endpoint <url>',
          about: 'Where it listens, such as https://host:8443',
          param: 'endpoint',
        },
        { flags: '--public-key <key>', about: 'Its public key, p256:…', param: 'publicKey' },
        { flags: '--role <role>', about: 'Its role, such as engineer, for access rules', param: 'role' },
        { flags: '--owner <name>', about: 'The person that it works for', param: 'owner' },
        {
          flags: '--certificate <hash>',
          about: 'Its TLS certificate, as sha256: and 64 hex digits, if it is not made from its key',
          param: 'certificate',
        },
        { ...CONTEXT, about: 'What it works on, such as repository:acme/webapp' },
      ],
      example: 'neo agent add eng-sato --endpoint https://sato.example:8443',
      load: async () => (await import('../agent/change-agents.ts')).addAgent,
    },
    revoke: {
      args: '<id>',
      about: 'Take all access away from an agent at once, and cancel its tasks. Its file stays.',
      example: 'neo agent revoke eng-sato',
      load: async () => (await import('../agent/change-agents.ts')).revokeAgent,
    },
    token: {
      args: '<id>',
      about:
        "Create a token for a client of the A2A protocol that can't sign requests, and print it once. It gives what the access rules give this agent, and replaces its earlier token.",
      options: [{ flags: '--revoke', about: 'Only revoke the earlier token' }],
      example: 'neo agent token eng-sato',
      load: async () => (await import('../agent/change-agents.ts')).tokenFor,
    },
    discover: {
      args: '[id]',
      about: 'Ask one agent, or all of them, which agents they know. Exit code 1 if nobody answers.',
      example: 'neo agent discover',
      load: async () => (await import('../agent/show-agents.ts')).discover,
    },
    query: {
      args: '<id> <text>',
      about: 'Ask an agent a question. Use - to read the text from stdin.',
      options: [
        CONTEXT,
        { flags: '--async', about: "Don't wait for the answer: it comes later, as a notice" },
        {
          flags: '--priority <priority>',
          about: 'Ask for this priority',
          choices: PEER_PRIORITIES,
          param: 'priority',
        },
        { flags: '--timeout <duration>', about: 'Wait at most this long (default: 30s)' },
      ],
      example: "neo agent query eng-sato 'How far is the login?' --context repository:acme/webapp",
      load: async () => (await import('../agent/ask-agents.ts')).queryAgent,
    },
    exec: {
      args: '<id> <task-type>',
      about: 'Hand a task to an agent, from a template of its home. Exit code 1 if the task fails.',
      options: [
        CONTEXT,
        { flags: '--param <name=value>', about: 'Set a parameter of the template', many: true },
        { flags: '--wait', about: 'Wait until the task ends' },
        {
          flags: '--request-id <id>',
          about: 'Show the task of an earlier command instead of making a second one',
          param: 'requestId',
        },
      ],
      example: 'neo agent exec eng-sato fix-bug --context repository:acme/webapp --param issue=12',
      load: async () => (await import('../agent/ask-agents.ts')).executeTask,
    },
    requests: {
      about: 'List what agents have asked or handed over, and what became of it',
      options: [{ flags: '--limit <count>', about: 'Show at most this many (default: 100)' }],
      example: 'neo agent requests',
      load: async () => (await import('../agent/show-agents.ts')).listRequests,
    },
  },
  mirror: {
    show: {
      args: '<room>',
      about: 'Show what happened in the last two hours: files, changes, errors, tests',
      example: 'neo mirror show shop',
      load: async () => (await import('../mirror/mirror-hooks.ts')).showMirror,
    },
    config: {
      args: '<program> <room>',
      about: 'Print the hook that tells Neo what happens: for claude (Claude Code) or git',
      example: 'neo mirror config claude shop',
      load: async () => (await import('../mirror/mirror-hooks.ts')).mirrorConfig,
    },
    hook: {
      args: '<program> <room>',
      about:
        'Record what a hook of claude or git says on stdin. An event that cannot be recorded stops no editor.',
      example: 'git show --numstat --format=%s HEAD | neo mirror hook git shop',
      load: async () => (await import('../mirror/mirror-hooks.ts')).mirrorHook,
    },
  },
  access: {
    check: {
      args: '<agent> <action> <resource>',
      about:
        'Show whether an agent may do something, and which rule decides. Actions: read, write, context.read, query.send, ' +
        'context.write, task.execute. Exit code 5 if it is refused.',
      example: 'neo access check eng-sato read repository:acme/webapp',
      load: async () => (await import('../agent/show-access.ts')).checkAccess,
    },
    rules: {
      about: 'List the access rules of neo.yaml',
      example: 'neo access rules',
      load: async () => (await import('../agent/show-access.ts')).listRules,
    },
  },
} satisfies Record<string, Specs>
