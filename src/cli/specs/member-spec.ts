/**
 * The commands of `neo member`: words and options.
 */
import type { Spec } from '../spec.ts'

export const MEMBER: readonly Spec[] = [
  {
    name: 'list',
    about: 'people with role, rooms and channels',
    example: 'neo member list',
    load: async () => (await import('../member/list-members.ts')).listMembers,
  },
  {
    name: 'add',
    args: '<id>',
    about: 'make a member; prints the path of the file',
    options: [
      { flags: '--name <name>', about: 'as people say it' },
      {
        flags: '--role <role>',
        about: 'parent, member, guest or child; default member',
      },
      {
        flags: '--room <room>',
        about: 'a room that they are let into; may be given more than once',
        many: 'yes',
      },
    ],
    example: 'neo member add kim --role child --room lobby',
    load: async () => (await import('../member/change.ts')).addMember,
  },
  {
    name: 'pair',
    args: '<id>',
    about: 'a code that binds a Telegram account to a member, once',
    example: 'neo member pair kim',
    load: async () => (await import('../member/change.ts')).pairMember,
  },
  {
    name: 'token',
    args: '<id>',
    about: 'a token with which a member reaches page and API as themselves; an earlier one is over',
    options: [{ flags: '--revoke', about: 'take it back' }],
    example: 'neo member token kim',
    load: async () => (await import('../member/change.ts')).memberToken,
  },
  {
    name: 'remove',
    args: '<id>',
    about: 'take a member out; git keeps the file',
    example: 'neo member remove kim',
    load: async () => (await import('../member/change.ts')).removeMember,
  },
]
