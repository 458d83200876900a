/**
 * People and scopes: whose account a number is, the name of a scope, and who may speak in a group. Invariant 1:
 * identity is the stable number of a channel, never a name. Invariant 2: an unknown account has no rights. Invariant
 * 3: a group for parents admits no other role, no matter what else its file says.
 */
import { isAccountId } from './channel-kinds.ts'

export interface Known {
  readonly id: string
  readonly role: string
  readonly channels: Readonly<Record<string, string>>
}

/** Roles with rights. Groups can name others in `roles`, which decide only who may speak there. */
export const ROLES = ['parent', 'member', 'guest', 'child'] as const

/** True for a child and for an unknown role: a typing error must not give more permissions than a child has. */
export function hasChildsRights(role: string): boolean {
  return role === 'child' || !ROLES.some((one) => one === role)
}

export type Who =
  /** The owner of the home. */
  | { readonly kind: 'human' }
  | { readonly kind: 'member'; readonly id: string; readonly role: string }
  | { readonly kind: 'unknown' }

/**
 * The person with this number. A member's number wins over `allow_from`, so it gives the member's rights, not the
 * owner's.
 */
export function whoIs(
  sender: { readonly channel: string; readonly number: string },
  members: Iterable<Known>,
  allowFrom: readonly string[],
): Who {
  const own = [...members].filter(({ channels }) => channels[sender.channel] === sender.number)
  // With one number for two members, the sender is unknown.
  if (own.length > 1) return { kind: 'unknown' }
  const [member] = own
  if (member !== undefined) return { kind: 'member', id: member.id, role: member.role }
  return isAccountId(sender.channel, sender.number) && allowFrom.includes(sender.number)
    ? { kind: 'human' }
    : { kind: 'unknown' }
}

/** The accounts of `allow_from`. */
export function accountsIn(listed: unknown, channel: string): readonly string[] {
  return Array.isArray(listed) ? listed.map((entry) => accountOf(String(entry), channel)) : []
}

/**
 * An account as it is compared: without spaces around it, and without the channel that `notify` writes
 * (`telegram:123`).
 */
export function accountOf(entry: string, channel: string): string {
  const text = entry.trim()
  return text.startsWith(`${channel}:`) ? text.slice(channel.length + 1).trim() : text
}

/** Entries of `allow_from` that are not ids of accounts, such as names. */
export function wrongAllowFrom(allowFrom: readonly string[], channel: string): readonly string[] {
  return allowFrom.filter((entry) => !isAccountId(channel, entry))
}

export interface Group {
  readonly type: string
  readonly roles: readonly string[]
  readonly members: readonly string[]
}

/** Whose a private chat is, where its number is somebody's; `unknown` for groups, and for numbers that nobody has. */
export function ownerOf(key: string, members: Iterable<Known>, allowFrom: readonly string[]): Who {
  const [, channel, number] = /^([a-z][a-z0-9-]*):([^:]+)$/.exec(key) ?? []
  if (channel === undefined || number === undefined) return { kind: 'unknown' }
  return whoIs({ channel, number }, members, allowFrom)
}

/** Why the group doesn't admit this speaker; null if it does. A group without a file admits nobody. */
export function refusedInGroup(who: Who, group: Group | null): string | null {
  if (group === null) return 'this group is not configured'
  if (who.kind === 'unknown') return 'this sender is not known'
  if (who.kind === 'human') return null
  if (group.type === 'parents_group' && who.role !== 'parent')
    return `this group is for parents, not ${who.role}`
  if (group.members.length > 0 && !group.members.includes(who.id)) return `${who.id} is not in this group`
  if (group.roles.length > 0 && !group.roles.includes(who.role)) return `this group is not for ${who.role}`
  return null
}

/** The member that a message names, as `@kim`, else the speaker. It selects a topic and gives no rights. */
export function targetOf(text: string, members: Iterable<Pick<Known, 'id'>>): `member:${string}` | null {
  const ids = new Map([...members].map(({ id }) => [id.toLowerCase(), id]))
  for (const [, name = ''] of text.matchAll(/(?<![\p{L}\p{N}_@.])@([\p{L}\p{N}][\p{L}\p{N}_-]*)/gu)) {
    const id = ids.get(name.toLowerCase())
    if (id !== undefined) return `member:${id}`
  }
  return null
}

/** The folder name of a scope: `[a-z0-9-]`, with a short hash if that lost characters. */
export function scopeName(key: string): string {
  const plain = key
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
  const isWhole = plain !== '' && plain.length <= LONGEST_NAME && plain === key.replaceAll(':', '-')
  return isWhole ? plain : `${plain.slice(0, LONGEST_NAME) || 'scope'}-${shortHash(key)}`
}

const LONGEST_NAME = 60

/** A topic of a group is a separate conversation under the rules of the group. */
export function topicScope(group: string, thread: string): string {
  return `${group}-topic-${/^\d+$/.test(thread) ? thread : `t${shortHash(thread)}`}`
}

/** The group of a topic; null for anything else. */
export function baseOfTopic(name: string): string | null {
  return /^(.+)-topic-(?:\d+|t[0-9a-z]{11})$/.exec(name)?.[1] ?? null
}

/** Names of scopes become names of folders. */
export function isScopeName(text: string): boolean {
  return /^[a-z0-9][a-z0-9-]{0,119}$/.test(text)
}

const OFFSET = 0xcbf29ce484222325n
const PRIME = 0x100000001b3n

/** A hash as 11 characters of base 36 (FNV-1a, 64 bits, twice); not suitable for secrets. */
export function shortHash(text: string): string {
  let hash = OFFSET
  for (let at = 0; at < text.length; at++)
    hash = BigInt.asUintN(64, (hash ^ BigInt(text.charCodeAt(at))) * PRIME)
  for (let at = text.length - 1; at >= 0; at--)
    hash = BigInt.asUintN(64, (hash ^ BigInt(text.charCodeAt(at) + at)) * PRIME)
  return hash.toString(36).padStart(11, '0').slice(-11)
}

/** True for a file with more than headings and blanks. */
export function hasContent(markdown: string): boolean {
  const text = markdown.replaceAll(/<!--[\s\S]*?-->/g, '')
  return text
    .split('\n')
    .some((line) => !/^\s*(#{1,6}(\s.*)?|[-*+]\s*(\[[ xX]?\])?\s*|-{3,}|\*{3,})?\s*$/.test(line))
}

/** True for a reply that says only that there is nothing to report. */
export function saysNothing(reply: string): boolean {
  const plain = reply
    .trim()
    .toLowerCase()
    .replaceAll(/[\s.!*`"']+/g, ' ')
    .trim()
  return plain === '' || plain === 'nothing to say' || plain === 'heartbeat_ok'
}
