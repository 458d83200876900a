/**
 * The homes that this user trusts, stored outside of every repository: `$XDG_CONFIG_HOME/neo/trusted.json`, else
 * `~/.config/neo/trusted.json`, else a private folder in the temporary files. A home is identified by its real path and
 * its git folder; a clone in the same place is a different home. A note in that git folder keeps the trust of a home that
 * is moved, and of users without a permanent home folder. Invariants: 1. nothing in a home can write either file:
 * sessions of models don't see them; 2. a note counts only in the git folder that it was written for, not in a copy;
 * 3. a home that this user neither created nor trusted runs no command and gets no key; 4. if one of its lines changes,
 * the user has to trust it again.
 */
import { createHash } from 'node:crypto'
import { accessSync, constants, existsSync, lstatSync, mkdirSync, realpathSync, statSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { isMap, mapIn } from '../../domain/text/is-map.ts'
import { NeoError } from '../../domain/home/error.ts'
import { whereOf } from '../../domain/home/problem.ts'
import { configTrust, headerTrust, shownTrust, type TrustLine } from '../../domain/policy/trust-lines-of.ts'
import { problemAt } from '../../files/header/read-header.ts'
import { parseYaml } from '../../files/header/yaml.ts'
import { readMember } from '../../files/kinds/read-member.ts'
import { readRoom } from '../../files/kinds/read-room.ts'
import { readScope } from '../../files/kinds/read-scope.ts'
import type { Files } from '../../ports/files-port.ts'
import { blobOf, MAX_BYTES } from '../edit-file.ts'
import type { Call, Env } from '../spec.ts'

interface TrustedHome {
  /** Identifies its git folder. */
  readonly git: string
  /** ISO 8601 */
  readonly at: string
  /** Hashes of the trusted lines; null: not trusted, whatever its git folder says. */
  readonly prints: readonly string[] | null
}

export interface Where {
  readonly home: string
  /** Absolute git dir of the home. */
  readonly gitDir: string
  readonly files: Files
  readonly env: Env
}

interface Kept {
  readonly v: 1
  readonly homes: Readonly<Record<string, TrustedHome>>
}

const MOST_BYTES = 4 * 1024 * 1024
const TRIES = 5

function trustFile({ env }: Pick<Where, 'env'>): string {
  const named = env['XDG_CONFIG_HOME'] ?? ''
  if (isAbsolute(named)) return join(named, 'neo', 'trusted.json')
  const home = env['HOME'] || accountHome()
  const usual = home === null ? null : join(home, '.config', 'neo', 'trusted.json')
  if (home !== null && usual !== null && (existsSync(usual) || isWritable(home))) return usual
  return join(privateFolder(), 'neo', 'trusted.json')
}

/** Null for a user id without an account, as in containers that are started with `--user 12345`. */
function accountHome(): string | null {
  try {
    return homedir()
  } catch {
    return null
  }
}

function isWritable(home: string): boolean {
  const folder = [join(home, '.config', 'neo'), join(home, '.config'), home].find((one) => existsSync(one))
  try {
    accessSync(folder ?? home, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/**
 * A private folder in the temporary files, for users without a writable home folder. Throws NeoError `refused` if it
 * belongs to another user, who could change what this user trusts.
 */
function privateFolder(): string {
  const uid = process.getuid?.() ?? 0
  const dir = join(tmpdir(), `neo-user-${uid}`)
  try {
    mkdirSync(dir, { mode: 0o700 })
  } catch {
    // It exists already, or the check below fails.
  }
  const stat = lstatSync(dir, { throwIfNoEntry: false })
  if (stat?.isDirectory() && stat.uid === uid && (stat.mode & 0o077) === 0) return dir
  throw new NeoError('refused', `Cannot use ${dir}: it is not your private folder`, {
    why: 'your home folder is not writable, so Neo stores there which homes you trust',
    next: 'set HOME or XDG_CONFIG_HOME to a folder that you can write',
  })
}

/** Null if this user has not decided about it, or if another repository is in its place. */
function trustedHome(where: Where): TrustedHome | null {
  const found = read(where).kept.homes[realpathSync(where.home)] ?? noteIn(where)
  return found?.git === identityOf(where.gitDir) ? found : null
}

/** The note in the git folder; a note of another user does not count. */
function noteIn({ gitDir, files }: Where): TrustedHome | null {
  const path = notePath(gitDir)
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat?.isFile() !== true || stat.uid !== process.getuid?.()) return null
  const note = files.readJson(path) as Partial<TrustedHome> | null
  const { git, at, prints } = note ?? {}
  if (typeof git !== 'string' || typeof at !== 'string') return null
  return { git, at, prints: Array.isArray(prints) ? prints.filter((one) => typeof one === 'string') : null }
}

function notePath(gitDir: string): string {
  return join(gitDir, 'neo', 'trust.json')
}

/** Throws NeoError `disk` if the file can't be written. */
export function keepTrust(where: Where, prints: readonly string[] | null): void {
  const path = trustFile(where)
  const key = realpathSync(where.home)
  for (let tries = 0; tries < TRIES; tries++) {
    const { kept, before } = read(where)
    const own = { git: identityOf(where.gitDir), at: new Date().toISOString(), prints }
    const next: Kept = { v: 1, homes: { ...kept.homes, [key]: own } }
    const bytes = Buffer.from(`${JSON.stringify(next, null, 2)}\n`)
    if (where.files.savePrivate(path, bytes, before).kind !== 'saved') continue
    note(where, own)
    return
  }
  throw new NeoError('disk', `Cannot write ${path}: another program keeps changing it`, {
    next: 'run the command again',
  })
}

/** Without the note, the user has to trust the home again after it is moved. An untrusted home needs no note. */
function note({ gitDir, files }: Where, own: TrustedHome): void {
  if (own.prints === null && !existsSync(notePath(gitDir))) return
  try {
    files.writeJson(notePath(gitDir), own)
  } catch {
    // The git folder belongs to another user, or the disk is full or read-only.
  }
}

function read(where: Pick<Where, 'files' | 'env'>): { readonly kept: Kept; readonly before: string | null } {
  const found = where.files.read(trustFile(where), MOST_BYTES)
  if (found.kind !== 'file') return { kept: { v: 1, homes: {} }, before: null }
  return { kept: parsed(found.bytes), before: blobOf(found.bytes) }
}

/** A broken file means that nothing is trusted. */
function parsed(bytes: Buffer): Kept {
  const data = mapIn(bytes.toString('utf8'))
  return data?.['v'] === 1 && isMap(data['homes']) ? (data as unknown as Kept) : { v: 1, homes: {} }
}

/** By inode and time of creation: device numbers change after a restart. */
function identityOf(gitDir: string): string {
  const { ino, birthtimeMs } = statSync(gitDir)
  return `${ino}-${Math.round(birthtimeMs)}`
}

const CONFIG = 'neo.yaml'
const HEADERS =
  /^(?:rooms\/[^/]+\/ROOM\.md|workspace\/members\/[^/]+\.md|workspace\/scopes\/[^/]+\/SCOPE\.md)$/

/** In the order of the files. */
export function trustLines(home: string, files: Files): readonly TrustLine[] {
  const headers = files
    .scan(home, (path, is) => (is === 'folder' ? isAbove(path) : HEADERS.test(path)))
    .map(({ path }) => path)
    .sort()
  return [...ofConfig(home, files), ...headers.flatMap((path) => ofHeader(home, files, path))]
}

/** A hash of a line: neither its value nor its name is stored. */
function printOf({ name, value }: TrustLine): string {
  return createHash('sha256').update(`${name}\n${value}`).digest('hex')
}

/** A file that can't be parsed counts by its bytes, so a repaired one has to be trusted again. */
function ofConfig(home: string, files: Files): readonly TrustLine[] {
  const read = files.read(join(home, CONFIG), MAX_BYTES)
  if (read.kind !== 'file') return []
  const parsed = parseYaml(read.bytes.toString('utf8'))
  if ('flaws' in parsed)
    return [{ name: CONFIG, value: `not readable, ${read.bytes.length} bytes ${hashOf(read.bytes)}` }]
  return configTrust(parsed.data)
}

/** `neo.yaml:3:5: …`, if it is no valid YAML: then no line of it can be trusted. */
function configFlaw(home: string, files: Files): string | null {
  const read = files.read(join(home, CONFIG), MAX_BYTES)
  if (read.kind !== 'file') return null
  const text = read.bytes.toString('utf8')
  const parsed = parseYaml(text)
  const [first] = 'flaws' in parsed ? parsed.flaws : []
  if (first === undefined) return null
  const problem = problemAt(CONFIG, text, first)
  return `${whereOf(problem)}: ${problem.message}`
}

function ofHeader(home: string, files: Files, path: string): readonly TrustLine[] {
  const read = files.read(join(home, path), MAX_BYTES)
  if (read.kind !== 'file') return []
  if (path.startsWith('rooms/')) {
    const room = readRoom(path, read.bytes, path.split('/')[1] ?? '')
    return room.kind === 'ok' ? headerTrust(path, 'mcp_servers', room.value.mcpServers) : []
  }
  const known = path.includes('/scopes/') ? readScope(path, read.bytes) : readMember(path, read.bytes)
  if (known.kind !== 'ok') return []
  const { in: before, out } = known.value.guards
  return [...headerTrust(path, 'guards.in', before), ...headerTrust(path, 'guards.out', out)]
}

function isAbove(path: string): boolean {
  return /^(?:|rooms(?:\/[^/]+)?|workspace(?:\/members|\/scopes(?:\/[^/]+)?)?)$/.test(path)
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 12)
}

type Trust =
  | { readonly kind: 'trusted' }
  | { readonly kind: 'new'; readonly lines: readonly TrustLine[] }
  /** `lines`: the ones that are not trusted. */
  | { readonly kind: 'changed'; readonly lines: readonly TrustLine[] }

/** Lines that an error names. */
const MOST_NAMED = 3

export function trustOf(where: Where): Trust {
  const lines = trustLines(where.home, where.files)
  const known = trustedHome(where)
  if (known === null || known.prints === null) return { kind: 'new', lines }
  const prints = new Set(known.prints)
  const changed = lines.filter((line) => !prints.has(printOf(line)))
  return changed.length === 0 ? { kind: 'trusted' } : { kind: 'changed', lines: changed }
}

export function isTrusted(where: Where): boolean {
  return where.env['NEO_TRUST'] === '1' || trustOf(where).kind === 'trusted'
}

/** Stores that the home is trusted as it is now. */
export function trustNow(where: Where, lines = trustLines(where.home, where.files)): void {
  keepTrust(where, lines.map(printOf))
}

/** Throws NeoError `refused` if the home is not trusted. `NEO_TRUST=1` and `--trust` trust it for one command. */
export function ensureTrusted(call: Call, of: Omit<Where, 'env'>): void {
  const why = whyNotTrusted(call, of)
  if (why === null) return
  const flaw = configFlaw(of.home, of.files)
  if (flaw !== null)
    throw new NeoError('config', `Cannot read ${flaw}`, { next: 'correct the file: neo config check' })
  throw new NeoError('refused', `Cannot act on ${of.home}: ${why}`, {
    why: 'its files decide which commands run as you, and where your keys are sent',
    next: 'run neo trust --show, then neo trust; for one command, such as in CI: NEO_TRUST=1',
  })
}

/** Null if it is trusted. */
export function whyNotTrusted(call: Call, of: Omit<Where, 'env'>): string | null {
  const { env } = call.around
  if (env['NEO_TRUST'] === '1' || call.isSet('trust')) {
    recordUntrusted({ ...of, env })
    return null
  }
  const trust = trustOf({ ...of, env })
  if (trust.kind === 'trusted') return null
  if (trust.kind === 'new') return 'you do not trust this home yet'
  const flaw = configFlaw(of.home, of.files)
  if (flaw !== null) return flaw
  const named = trust.lines.slice(0, MOST_NAMED).map(shownTrust)
  const rest = trust.lines.length - named.length
  return `it changed since you trusted it: ${named.join('; ')}${rest > 0 ? `; and ${rest} more` : ''}`
}

/** Records that the home is not trusted: files that this command leaves in the git folder must not look like trust. */
function recordUntrusted(where: Where): void {
  if (trustedHome(where) !== null) return
  try {
    keepTrust(where, null)
  } catch {
    // If this can't be stored, no trust can be stored either.
  }
}
