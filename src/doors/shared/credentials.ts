/**
 * Who may come in: the token, and cookies that codes were traded for. Takes headers; gives a credential or null.
 * Leaves to guard.ts: what is refused without looking at credentials.
 * Invariant 1: secrets are compared by their hashes, in constant time. Invariant 2: a code is good once, for ten minutes.
 * Invariant 3: when the token is another one, every cookie and every open line that stood on the old one is over.
 */
import { hash as hashOf, randomBytes, timingSafeEqual } from 'node:crypto'

export interface Credential {
  readonly by: 'token' | 'cookie'
  /** For counting; not the secret. */
  readonly key: string
}

export interface CredentialsOptions {
  readonly port: number
  /** The configured one as it is now; null: one is made. */
  readonly configured: () => string | null
  readonly now: () => number
}

export interface Credentials {
  /** The token in force. */
  token(): string
  /** Null: nobody that we know. */
  check(header: (name: string) => string | undefined): Credential | null
  /** Whether it would still be let in. */
  holds(credential: Credential): boolean
  /** A code for one sign-in. */
  code(): string
  /** The cookie's header for a good code; null for any other. The code is used up. */
  trade(code: string): string | null
  /** Forgets the cookie of this request; gives the header that takes it out of the browser. */
  signOut(header: (name: string) => string | undefined): string
}

const CODE_MS = 10 * 60_000
const COOKIE_MS = 30 * 24 * 3_600_000
/** The oldest go first. */
const MOST_COOKIES = 100
const MOST_CODES = 100

export function openCredentials(options: CredentialsOptions): Credentials {
  return new OwnCredentials(options)
}

class OwnCredentials implements Credentials {
  private readonly options: CredentialsOptions
  private readonly made = randomBytes(32).toString('base64url')
  /** Ends by hash of the secret. */
  private readonly cookies = new Map<string, number>()
  private readonly codes = new Map<string, number>()
  private inForce: { readonly token: string; readonly digest: Buffer; readonly key: string } | null = null

  constructor(options: CredentialsOptions) {
    this.options = options
  }

  token(): string {
    return this.current().token
  }

  check(header: (name: string) => string | undefined): Credential | null {
    const { digest: wanted, key } = this.current()
    const [, bearer] = /^Bearer ([\x21-\x7e]{1,4096})$/i.exec(header('authorization') ?? '') ?? []
    if (bearer !== undefined) return timingSafeEqual(digest(bearer), wanted) ? { by: 'token', key } : null
    for (const value of this.cookiesIn(header)) {
      const own = hash(value)
      if (this.isLive(own)) return { by: 'cookie', key: own }
    }
    return null
  }

  holds({ by, key }: Credential): boolean {
    const current = this.current()
    return by === 'token' ? key === current.key : this.isLive(key)
  }

  code(): string {
    this.current()
    const code = randomBytes(24).toString('base64url')
    put(this.codes, { key: hash(code), until: this.options.now() + CODE_MS, most: MOST_CODES })
    return code
  }

  trade(code: string): string | null {
    this.current()
    const key = hash(code)
    const until = this.codes.get(key)
    this.codes.delete(key)
    if (until === undefined || until <= this.options.now()) return null
    const cookie = randomBytes(32).toString('base64url')
    put(this.cookies, { key: hash(cookie), until: this.options.now() + COOKIE_MS, most: MOST_COOKIES })
    return this.cookieHeader(cookie, COOKIE_MS / 1000)
  }

  signOut(header: (name: string) => string | undefined): string {
    for (const value of this.cookiesIn(header)) this.cookies.delete(hash(value))
    return this.cookieHeader('', 0)
  }

  /** What stood on another token is over. */
  private current(): { readonly token: string; readonly digest: Buffer; readonly key: string } {
    const token = this.options.configured() ?? this.made
    if (this.inForce?.token === token) return this.inForce
    this.cookies.clear()
    this.codes.clear()
    this.inForce = { token, digest: digest(token), key: hash(token) }
    return this.inForce
  }

  private isLive(key: string): boolean {
    return (this.cookies.get(key) ?? 0) > this.options.now()
  }

  private cookieHeader(value: string, seconds: number): string {
    return `neo_${this.options.port}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict`
  }

  private cookiesIn(header: (name: string) => string | undefined): readonly string[] {
    const name = `neo_${this.options.port}=`
    const all = (header('cookie') ?? '').split(/; */).filter((pair) => pair.startsWith(name))
    return all.map((pair) => pair.slice(name.length)).slice(0, 4)
  }
}

function put(map: Map<string, number>, of: { key: string; until: number; most: number }): void {
  map.set(of.key, of.until)
  for (const oldest of map.keys()) {
    if (map.size <= of.most) return
    map.delete(oldest)
  }
}

function digest(text: string): Buffer {
  return hashOf('sha256', text, 'buffer')
}

function hash(text: string): string {
  return hashOf('sha256', text, 'hex')
}
