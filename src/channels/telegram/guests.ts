/**
 * Who is in groups that are limited to some people: checked at the start, every hour, when somebody joins or leaves, and
 * when the group, its rules or the members change. Telegram has no list of members: each known person is looked up, and the
 * number of people is compared. Invariant 1: while a child or an unknown person is in it, Neo doesn't reply in the group.
 * Invariant 2: nor while the membership is unknown.
 */
import { refusedInGroup } from '../../domain/policy/known-people.ts'
import type { Context } from '../../engine/context.ts'
import { membersIn } from '../../engine/people/member-files.ts'
import { notify } from '../../engine/people/notices.ts'
import { configured, type GroupsOptions, type Named } from '../inbox/heard-message.ts'
import type { Api } from './api.ts'

export interface GuestsOptions {
  readonly context: Context
  readonly groups: GroupsOptions
  readonly api: () => Promise<{ readonly api: Api } | null>
  /** Accounts of the person whose home this is. */
  readonly allowFrom: () => readonly string[]
  readonly signal: AbortSignal
}

export interface Guests {
  /** Also while the membership is unknown; that starts a check at once. */
  silenced(group: Named): boolean
  /** Looks at once. */
  look(): void
  /** Resolves when it is known who is inside, or that nobody tells. */
  ready(): Promise<void>
  close(): void
}

const HOUR_MS = 3_600_000
/** How soon it is asked again where Telegram did not say who is inside. */
const UNKNOWN_MS = 60_000
const UNKNOWN = 'membership unknown'
const INSIDE = new Set(['creator', 'administrator', 'member', 'restricted'])

export function openGuests(options: GuestsOptions): Guests {
  const { clock } = options.context.world
  const known: Known = new Map()
  let forget = (): void => {}
  let first: Promise<void> | null = null
  let looking: 'no' | 'yes' | 'again' = 'no'
  const after = (ms: number): void => {
    forget()
    if (!options.signal.aborted) forget = clock.after(ms, look)
  }
  const look = (): void => {
    if (looking !== 'no') {
      looking = 'again'
      return
    }
    looking = 'yes'
    const work = lookAt(options, known)
      .then(() => ([...known.values()].includes(UNKNOWN) ? UNKNOWN_MS : HOUR_MS))
      .catch(() => UNKNOWN_MS)
      .then((ms) => {
        const isStale = looking === 'again'
        looking = 'no'
        after(ms)
        if (isStale && !options.signal.aborted) look()
      })
    first ??= work
  }
  look()
  return {
    silenced(group) {
      if (!isLimited(group)) return false
      const why = known.get(keyOf(options, group))
      if (why === undefined) look()
      return why !== null
    },
    look,
    ready: () => first ?? Promise.resolve(),
    close: () => forget(),
  }
}

/** Why Neo doesn't reply in each limited group; `null` if it does. */
type Known = Map<string, string | null>

function isLimited({ type, roles, members }: Named): boolean {
  return type === 'parents_group' || roles.length + members.length > 0
}

/** Its scope with all that decides: the chat may move, and what was found out holds for these rules and people alone. */
function keyOf({ context, allowFrom }: GuestsOptions, { scope, type, roles, members }: Named): string {
  const people = membersIn(context).map(({ id, role, channels }) => [id, role, channels['telegram'] ?? ''])
  return JSON.stringify([scope, type, roles, members, people, allowFrom()])
}

async function lookAt(options: GuestsOptions, known: Known): Promise<void> {
  const limited = configured(options.groups).filter(isLimited)
  const keys = new Map(limited.map((group) => [group, keyOf(options, group)]))
  forgetOthers(options, known, {
    keys: new Set(keys.values()),
    scopes: new Set(limited.map(({ scope }) => scope)),
  })
  const open = limited.length === 0 ? null : await options.api()
  if (options.signal.aborted) return
  for (const group of limited) {
    const key = keys.get(group) ?? ''
    const before = known.get(key)
    const found = open === null ? UNKNOWN : await whySilent(options, open.api, group)
    // Where Telegram does not answer, what was known last holds; what never was known is silent.
    const why = found === UNKNOWN && before !== undefined ? before : found
    known.set(key, why)
    options.context.scopes.silence(group.scope, why)
    if (why !== null && why !== UNKNOWN && why !== before) tell(options.context, group, why)
  }
}

/** Groups that are not limited any more, and what was found out about others' rules. */
function forgetOthers(
  { context }: GuestsOptions,
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

async function whySilent(
  { context, allowFrom }: GuestsOptions,
  api: Api,
  group: Named & { readonly chatId: string },
): Promise<string | null> {
  const members = membersIn(context)
  const own = allowFrom().filter((number) => !members.some(({ channels }) => channels['telegram'] === number))
  // The bot itself.
  let known = 1
  try {
    for (const number of own) if (await isInside(api, group.chatId, Number(number))) known += 1
    for (const { id, role, channels } of members) {
      const number = Number(channels['telegram'] ?? '')
      if (!Number.isSafeInteger(number) || number <= 0) continue
      if (!(await isInside(api, group.chatId, number))) continue
      known += 1
      if (refusedInGroup({ kind: 'member', id, role }, group) !== null)
        return `${id} (${role}) is in the group`
    }
    const all = await api.getChatMemberCount(group.chatId)
    return all > known ? `${all} people are in the group, and only ${known} are known` : null
  } catch {
    return UNKNOWN
  }
}

async function isInside(api: Api, chatId: string, number: number): Promise<boolean> {
  try {
    return INSIDE.has((await api.getChatMember(chatId, number)).status)
  } catch (error) {
    // Somebody who was never there is an error too.
    if ((error as { readonly error_code?: number }).error_code === 400) return false
    throw error
  }
}

function tell(context: Context, { scope }: Named, why: string): void {
  const text = `Neo doesn't reply in the group ${scope}: ${why}`
  notify(context, { key: `guests:${scope}:${why}`, kind: 'problems', text, room: 'lobby' })
}
