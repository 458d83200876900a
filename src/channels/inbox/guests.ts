/**
 * Who is in groups that are limited to some people: checked at the start, every hour, when somebody joins or leaves, and
 * when the group, its rules or the members change. Services may have no list of members: each known person is looked up, and
 * the number of people is compared. Invariant 1: while a child or an unknown person is in it, Neo doesn't reply in the group.
 * Invariant 2: nor while the membership is unknown.
 */
import { isAccountId } from '../../domain/policy/channel-kinds.ts'
import { refusedInGroup } from '../../domain/policy/known-people.ts'
import type { Context } from '../../engine/context.ts'
import { membersIn } from '../../engine/people/member-files.ts'
import { notify } from '../../engine/people/notices.ts'
import type { Connection } from '../connection.ts'
import { configured, type GroupsOptions, type Named } from './heard-message.ts'

/** Who is in a group, as the service says. Rejects if it doesn't. */
export interface Roster {
  isInside(chatId: string, account: string): Promise<boolean>
  /** People and bots, with this one. */
  count(chatId: string): Promise<number>
}

interface GuestsOptions<O> {
  readonly context: Context
  readonly groups: GroupsOptions
  readonly connection: Connection<O>
  /** `null`: nobody can say who is inside. */
  readonly roster: ((open: O) => Roster) | null
  readonly signal: AbortSignal
}

export interface Guests {
  /** Also while the membership is unknown; that starts a check at once. */
  silenced(group: Named): boolean
  /** Somebody came or went: resolves when it is known who is inside now, or that nobody tells. */
  changed(chatId: string): Promise<void>
  /** Resolves when it is known who is inside, or that nobody tells. */
  ready(): Promise<void>
  close(): void
}

const HOUR_MS = 3_600_000
/** How soon it is asked again if the service did not say who is inside. */
const UNKNOWN_MS = 60_000
const UNKNOWN = 'membership unknown'

export function openGuests<O>(options: GuestsOptions<O>): Guests {
  const { clock } = options.context.world
  const known: Known = new Map()
  let forget = (): void => {}
  let looking: Promise<void> | null = null
  let next: Promise<void> | null = null
  const once = async (): Promise<void> => {
    const isKnown = await lookAt(options, known).then(
      () => ![...known.values()].includes(UNKNOWN),
      () => false,
    )
    forget()
    const ms = isKnown ? HOUR_MS : UNKNOWN_MS
    if (!options.signal.aborted) forget = clock.after(ms, () => void look())
  }
  const look = (): Promise<void> => {
    if (options.signal.aborted) return Promise.resolve()
    if (looking === null) {
      looking = once().finally(() => {
        looking = null
      })
      return looking
    }
    next ??= looking.then(() => {
      next = null
      return look()
    })
    return next
  }
  const first = look()
  return {
    silenced(group) {
      if (!isLimited(group)) return false
      const why = known.get(keyOf(options, group))
      if (why === undefined) void look()
      return why !== null
    },
    async changed(chatId) {
      const { groups } = options
      const limited = configured(groups).filter(isLimited)
      const here = limited.filter((group) => group.chatId === groups.now(chatId))
      for (const group of here) known.delete(keyOf(options, group))
      if (here.length > 0) await look()
    },
    ready: () => first,
    close: () => forget(),
  }
}

/** Why Neo doesn't reply in each limited group; `null` if it does. */
type Known = Map<string, string | null>

function isLimited({ type, roles, members }: Named): boolean {
  return type === 'parents_group' || roles.length + members.length > 0
}

/** Its scope with all that decides: the chat may move, and what was found out holds for these rules and people alone. */
function keyOf<O>(
  { context, groups, connection }: GuestsOptions<O>,
  { scope, type, roles, members }: Named,
): string {
  const people = membersIn(context).map(({ id, role, channels }) => [
    id,
    role,
    channels[groups.channel] ?? '',
  ])
  return JSON.stringify([scope, type, roles, members, people, connection.allowFrom()])
}

async function lookAt<O>(options: GuestsOptions<O>, known: Known): Promise<void> {
  const limited = configured(options.groups).filter(isLimited)
  const keys = new Map(limited.map((group) => [group, keyOf(options, group)]))
  forgetOthers(options, known, {
    keys: new Set(keys.values()),
    scopes: new Set(limited.map(({ scope }) => scope)),
  })
  const { connection, roster } = options
  const open = limited.length === 0 || roster === null ? null : await connection.open()
  const people = open === null ? null : (roster?.(open) ?? null)
  if (options.signal.aborted) return
  for (const group of limited) {
    const key = keys.get(group) ?? ''
    const before = known.get(key)
    const found = people === null ? UNKNOWN : await whySilent(options, people, group)
    // Where the service does not answer, what was known last holds; what never was known is silent.
    const why = found === UNKNOWN && before !== undefined ? before : found
    known.set(key, why)
    options.context.scopes.silence(group.scope, why)
    if (why !== null && why !== UNKNOWN && why !== before) tell(options.context, group, why)
  }
}

/** Groups that are not limited any more, and what was found out about others' rules. */
function forgetOthers<O>(
  { context }: GuestsOptions<O>,
  known: Known,
  { keys, scopes }: { readonly keys: ReadonlySet<string>; readonly scopes: ReadonlySet<string> },
): void {
  for (const key of [...known.keys()]) {
    if (keys.has(key)) continue
    known.delete(key)
    const [scope] = JSON.parse(key) as readonly [string]
    if (!scopes.has(scope)) context.scopes.silence(scope, null)
  }
}

async function whySilent<O>(
  { context, groups, connection }: GuestsOptions<O>,
  roster: Roster,
  group: Named & { readonly chatId: string },
): Promise<string | null> {
  const members = membersIn(context)
  const accountOf = (one: (typeof members)[number]) => one.channels[groups.channel] ?? ''
  // Each account once, however often it is listed: else a stranger would not be counted.
  const inside = new Set<string>()
  try {
    for (const account of connection.allowFrom())
      if (!members.some((member) => accountOf(member) === account))
        if (await roster.isInside(group.chatId, account)) inside.add(account)
    for (const member of members) {
      const [{ id, role }, account] = [member, accountOf(member)]
      if (!isAccountId(groups.channel, account) || !(await roster.isInside(group.chatId, account))) continue
      inside.add(account)
      if (refusedInGroup({ kind: 'member', id, role }, group) !== null)
        return `${id} (${role}) is in the group`
    }
    const all = await roster.count(group.chatId)
    // The bot itself.
    const known = inside.size + 1
    return all > known ? `${all} people are in the group, and only ${known} are known` : null
  } catch {
    return UNKNOWN
  }
}

function tell(context: Context, { scope }: Named, why: string): void {
  const text = `Neo doesn't reply in the group ${scope}: ${why}`
  notify(context, { key: `guests:${scope}:${why}`, kind: 'problems', text, room: 'lobby' })
}
