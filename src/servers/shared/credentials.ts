/**
 * Who may come in: the owner's token, tokens of members, and cookies that codes were traded for. Invariant 1: secrets
 * are compared by their hashes, in constant time. Invariant 2: a code is good once, for ten minutes. Invariant 3: codes
 * and cookies are limited for each holder alone. Invariant 4: when the token is another one, every cookie and every open
 * connection with the old one is over; so is what came from a member's token that was revoked. Invariant 5: no call is carried
 * out and no event is sent with a credential that is over at that moment.
 */
import { hash as hashOf, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Principal } from '../../domain/policy/policy-acts.ts'
import { learnSecret } from '../../domain/secrets/known-secrets.ts'
import { HUB_CODES, type Hub, HubError } from '../../hub/hub.ts'

export interface Credential {
  readonly by: 'token' | 'cookie'
  /** For counting; not the secret. */
  readonly key: string
  readonly who: Principal
}

interface CredentialsOptions {
  readonly port: number
  /** The configured one as it is now; null: one is made. */
  readonly configured: () => string | null
  /** The member whose token has this SHA-256, now; null: nobody's. */
  readonly memberOf: (hash: string) => string | null
  readonly now: () => number
  /** Where sign-ins survive a restart; absent: they end with the process. */
  readonly kept?: KeptSignIns
}

/** Hashes of cookies only: nobody can sign in with them. */
export interface KeptSignIns {
  /** What was saved last; null: nothing that can be read. */
  load(): unknown
  /** Does nothing if the disk refuses: sign-ins then end with the process. */
  save(value: SavedSignIns): void
}

export interface SavedSignIns {
  /** SHA-256 of the configured token; null: none was configured. A sign-in ends when this changes. */
  readonly token: string | null
  readonly cookies: readonly (readonly [string, Issued])[]
}

const CODE_MS = 10 * 60_000
const COOKIE_MS = 30 * 24 * 3_600_000
/** Of one holder: the oldest go first. Nobody can push out what others hold. */
const MOST_ISSUED = 100
const OWNER: Principal = { kind: 'human' }

/** A code or a cookie. */
export interface Issued {
  /** Null: the owner's. */
  readonly of: { readonly id: string; readonly token: string } | null
  readonly until: number
}

type Header = (name: string) => string | undefined

export class Credentials {
  private readonly made = randomBytes(32).toString('base64url')
  /** By hash of the secret. */
  private readonly cookies = new Map<string, Issued>()
  private readonly codes = new Map<string, Issued>()
  private inForce: { readonly token: string; readonly digest: Buffer; readonly key: string } | null = null

  constructor(private readonly options: CredentialsOptions) {}

  /** The token in force. */
  token(): string {
    return this.current().token
  }

  /** Null: nobody that we know. */
  check(header: Header): Credential | null {
    const { digest: wanted, key } = this.current()
    const [, bearer] = /^Bearer ([\x21-\x7e]{1,4096})$/i.exec(header('authorization') ?? '') ?? []
    if (bearer !== undefined)
      return timingSafeEqual(digest(bearer), wanted)
        ? { by: 'token', key, who: OWNER }
        : this.memberBy(hash(bearer))
    for (const value of this.cookiesIn(header)) {
      const own = hash(value)
      const issued = this.live(own)
      if (issued !== null) return { by: 'cookie', key: own, who: whoOf(issued) }
    }
    return null
  }

  /** Whether it would still be let in. */
  holds({ by, key, who }: Credential): boolean {
    const current = this.current()
    if (by === 'cookie') return this.live(key) !== null
    return who.kind === 'member' ? this.options.memberOf(key) === who.id : key === current.key
  }

  /** A code for one sign-in, as the caller. */
  code(credential?: Credential): string {
    this.current()
    const code = randomBytes(24).toString('base64url')
    const of = credential?.who.kind === 'member' ? { id: credential.who.id, token: credential.key } : null
    this.put(this.codes, hash(code), { of, until: this.options.now() + CODE_MS })
    return code
  }

  /** The cookie's header for a good code; null for any other. The code is used up. */
  trade(code: string): string | null {
    this.current()
    const key = hash(code)
    const issued = this.codes.get(key)
    this.codes.delete(key)
    if (issued === undefined || !this.isValid(issued)) return null
    const cookie = randomBytes(32).toString('base64url')
    this.put(this.cookies, hash(cookie), { of: issued.of, until: this.options.now() + COOKIE_MS })
    this.save()
    return this.cookieHeader(cookie, COOKIE_MS / 1000)
  }

  /** Forgets the cookie of this request. Returns the header that removes it from the browser. */
  signOut(header: Header): string {
    for (const value of this.cookiesIn(header)) this.cookies.delete(hash(value))
    this.save()
    return this.cookieHeader('', 0)
  }

  /** Ends all other sign-ins and open links of the same person. Returns how many sign-ins ended. */
  endOthers({ by, key, who }: Credential): number {
    const id = who.kind === 'member' ? who.id : undefined
    const own = [...this.cookies].filter(([, { of }]) => of?.id === id).map(([cookie]) => cookie)
    const others = own.filter((cookie) => by !== 'cookie' || cookie !== key)
    for (const cookie of others) this.cookies.delete(cookie)
    for (const [code, { of }] of this.codes) if (of?.id === id) this.codes.delete(code)
    this.save()
    return others.length
  }

  /** What stood on another token is over. */
  private current(): { readonly token: string; readonly digest: Buffer; readonly key: string } {
    const token = this.options.configured() ?? this.made
    if (this.inForce?.token === token) return this.inForce
    const isFirst = this.inForce === null
    this.cookies.clear()
    this.codes.clear()
    learnSecret(token)
    this.inForce = { token, digest: digest(token), key: hash(token) }
    if (isFirst) this.restore()
    else this.save()
    return this.inForce
  }

  private configuredKey(): string | null {
    const configured = this.options.configured()
    return configured === null ? null : hash(configured)
  }

  private restore(): void {
    const saved = savedIn(this.options.kept?.load())
    if (saved === null || saved.token !== this.configuredKey()) return
    const now = this.options.now()
    for (const [key, issued] of saved.cookies) if (issued.until > now) this.cookies.set(key, issued)
  }

  private save(): void {
    this.options.kept?.save({ token: this.configuredKey(), cookies: [...this.cookies] })
  }

  /** What is over goes too, so that holders who are gone leave nothing. */
  private put(map: Map<string, Issued>, key: string, issued: Issued): void {
    const now = this.options.now()
    map.set(key, issued)
    for (const [old, { until }] of map) if (until <= now) map.delete(old)
    const own = [...map].filter(([, { of }]) => of?.id === issued.of?.id)
    for (const [oldest] of own.slice(0, Math.max(0, own.length - MOST_ISSUED))) map.delete(oldest)
  }

  private memberBy(key: string): Credential | null {
    const id = this.options.memberOf(key)
    return id === null ? null : { by: 'token', key, who: { kind: 'member', id } }
  }

  private live(key: string): Issued | null {
    const issued = this.cookies.get(key)
    return issued !== undefined && this.isValid(issued) ? issued : null
  }

  private isValid({ of, until }: Issued): boolean {
    return until > this.options.now() && (of === null || this.options.memberOf(of.token) === of.id)
  }

  private cookieHeader(value: string, seconds: number): string {
    return `neo_${this.options.port}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict`
  }

  private cookiesIn(header: Header): readonly string[] {
    const name = `neo_${this.options.port}=`
    const all = (header('cookie') ?? '').split(/; */).filter((pair) => pair.startsWith(name))
    return all.map((pair) => pair.slice(name.length)).slice(0, 4)
  }
}

/** Null for what isn't a list of sign-ins. */
function savedIn(value: unknown): SavedSignIns | null {
  const { token, cookies } = (value ?? {}) as { readonly token?: unknown; readonly cookies?: unknown }
  if ((typeof token !== 'string' && token !== null) || !Array.isArray(cookies)) return null
  return { token, cookies: cookies.filter(isSaved) }
}

function isSaved(entry: unknown): entry is readonly [string, Issued] {
  if (!Array.isArray(entry)) return false
  const [key, issued] = entry as unknown[] as [unknown?, (Partial<Issued> | null)?]
  if (typeof key !== 'string' || typeof issued?.until !== 'number') return false
  const { of } = issued
  return of === null || (typeof of?.id === 'string' && typeof of.token === 'string')
}

function whoOf({ of }: Issued): Principal {
  return of === null ? OWNER : { kind: 'member', id: of.id }
}

function digest(text: string): Buffer {
  return hashOf('sha256', text, 'buffer')
}

function hash(text: string): string {
  return hashOf('sha256', text, 'hex')
}

interface Holder {
  /** `stillHolds`: looked at once in a turn of the event loop. */
  readonly entry: {
    holds(credential: Credential): boolean
    stillHolds(credential: Credential): boolean
  }
  readonly credential: Credential
  /** Called each time that something is refused because it is over. */
  readonly lost: () => void
}

export function hubWhileHeld(hub: Hub, { entry, credential, lost }: Holder): Hub {
  const check = (): void => {
    if (entry.holds(credential)) return
    lost()
    const reason = 'the token or cookie is no longer valid'
    throw new HubError(HUB_CODES.denied, `Denied: ${reason}`, { rule: 'signed-out', reason })
  }
  return {
    async call(principal, method, params) {
      check()
      return await hub.call(principal, method, params)
    },
    async subscribe(principal, of, on) {
      check()
      return await hub.subscribe(principal, of, (event) =>
        entry.stillHolds(credential) ? on(event) : lost(),
      )
    },
  }
}
