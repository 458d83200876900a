/**
 * Forges: what a remote's URL means (host, owner, repository, kind), how it may be shown, and what a pull request
 * says.
 * Invariant 1: nothing that is shown holds the user or password part of an URL. Invariant 2: an unknown host has no
 * kind unless the environment names it: no token goes to a guessed host. Invariant 3: the body of a pull request
 * mentions nobody, closes no issue, holds no HTML and no path of this machine: its texts come from workers.
 */
import type { Usage } from '../agent/model-message.ts'
import type { CommandResult } from '../session/session.ts'
import { redact } from '../secrets/redact.ts'
import { cut, oneLine } from './one-line.ts'

export const FORGE_KINDS = ['github', 'gitlab', 'gitea'] as const
export type ForgeKind = (typeof FORGE_KINDS)[number]

export interface RemoteAddress {
  readonly scheme: 'https' | 'http' | 'ssh' | 'git'
  /** With its port for http and https, if one is given: `localhost:3000`. */
  readonly host: string
  /** Everything before the repository's name: `group/subgroup` on forges that nest. */
  readonly owner: string
  readonly repo: string
  /** Whether the URL itself carries a user, a password or a token. */
  readonly hasSecret: boolean
}

/** Host names that everybody knows, and what runs there. */
const KNOWN: Readonly<Record<string, ForgeKind>> = {
  'github.com': 'github',
  'gitlab.com': 'gitlab',
  'gitea.com': 'gitea',
  'codeberg.org': 'gitea',
}

const WITH_SCHEME = /^(https?|ssh|git|git\+ssh|ssh\+git):\/\/(?:([^/]*)@)?([^/@]+)\/(.+)$/i
/** `user@host:owner/repo.git`; a colon before any slash, and no drive letter. */
const LIKE_SCP = /^(?:[^/@:\s]+@)?([^/@:\s]{2,}|\[[0-9a-f:]+\]):(?!\/\/)(.+)$/i

/** The address that a remote's URL names; null for a folder and for what names no owner and repository. */
export function addressOf(url: string): RemoteAddress | null {
  const [, scheme, user, host = '', path = ''] = WITH_SCHEME.exec(url) ?? []
  if (scheme !== undefined) {
    const plain = /^https?$/i.test(scheme) ? scheme.toLowerCase() : /ssh/i.test(scheme) ? 'ssh' : 'git'
    const hasSecret = plain.startsWith('http') && user !== undefined && user !== ''
    return named({ scheme: plain as RemoteAddress['scheme'], host, path, hasSecret })
  }
  const [, scpHost, scpPath] = LIKE_SCP.exec(url) ?? []
  if (scpHost === undefined || scpPath === undefined) return null
  return named({ scheme: 'ssh', host: scpHost, path: scpPath, hasSecret: false })
}

function named(
  of: Pick<RemoteAddress, 'scheme' | 'host' | 'hasSecret'> & { readonly path: string },
): RemoteAddress | null {
  const path = of.path.replace(/[?#].*$/, '').replace(/^\/+|\/+$/g, '')
  const parts = path
    .replace(/\.git$/, '')
    .split('/')
    .filter((part) => part !== '')
  const repo = parts.at(-1)
  if (repo === undefined || parts.length < 2 || parts.includes('..')) return null
  // The port of ssh is not the port of the web.
  const port = of.scheme === 'https' ? /:443$/ : of.scheme === 'http' ? /:80$/ : /:\d+$/
  const host = of.host.replace(port, '').toLowerCase()
  return { scheme: of.scheme, host, owner: parts.slice(0, -1).join('/'), repo, hasSecret: of.hasSecret }
}

/** The kind of forge at a host: as `hosts` (from the environment) say, else as everybody knows; null for unknown. */
export function forgeKindOf(host: string, hosts: Readonly<Record<string, ForgeKind>>): ForgeKind | null {
  const from = Object.hasOwn(hosts, host) ? hosts : KNOWN
  return Object.hasOwn(from, host) ? (from[host] ?? null) : null
}

/** The text without the user and password part of every URL in it; for everything that is shown or thrown. */
export function withoutCredentials(text: string): string {
  return text.replaceAll(/(\b[a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/?#'"<>]{1,2000}@/gi, '$1')
}

/** The name of a branch as the topic of a push for review: no slashes. */
export function topicOf(branch: string): string {
  return branch.replaceAll(/[^A-Za-z0-9._-]+/g, '-')
}

export interface PullRequestText {
  readonly title: string
  /** What the session says it did: untrusted, any length. */
  readonly result: string
  readonly checks: readonly CommandResult[]
  readonly usage: Usage | null
  /** Path of the transcript relative to the home, or its address; null if it stays local. */
  readonly transcript: string | null
  readonly session: string
  readonly task: string
}

/** Forges cut or refuse longer bodies: GitHub at 65,536 characters. */
const MOST = 60_000
const MOST_RESULT = 8_000
const MOST_CHECKS = 60
const MOST_COMMAND = 200

/**
 * The body of a pull request, in markdown, at most 60,000 characters: what was done, which checks ran and how they
 * ended, with the end of the output of those that failed, and where it comes from. Secrets are masked.
 */
export function pullRequestBody(of: PullRequestText): string {
  const whole = bodyWith(of, 'tails')
  return whole.length <= MOST ? whole : bodyWith(of, 'no tails')
}

function bodyWith(of: PullRequestText, detail: 'tails' | 'no tails'): string {
  const said = of.result.trim() === '' ? of.title : of.result
  const parts = [prose(cut(said.trim(), MOST_RESULT)), checksText(of.checks, detail), originText(of)]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

function checksText(checks: readonly CommandResult[], detail: 'tails' | 'no tails'): string {
  if (checks.length === 0) return '**Checks:** none.'
  const passed = checks.filter(isPassed).length
  const lines = checks
    .slice(0, MOST_CHECKS)
    .flatMap((check) => [
      `- ${isPassed(check) ? 'passed' : `**${endOf(check)}**`} ${span(cut(oneLine(check.command), MOST_COMMAND))}${secondsOf(check)}`,
      ...(detail === 'tails' && !isPassed(check) && check.tail.trim() !== '' ? [block(check.tail)] : []),
    ])
  const more = checks.length > MOST_CHECKS ? [`- and ${checks.length - MOST_CHECKS} more`] : []
  return [`**Checks:** ${passed} of ${checks.length} passed`, '', ...lines, ...more].join('\n')
}

function isPassed(check: CommandResult): boolean {
  return check.ended === 'exit' && check.exitCode === 0
}

function endOf(check: CommandResult): string {
  return check.ended === 'exit' ? `exit code ${check.exitCode ?? 'unknown'}` : check.ended
}

function secondsOf({ ms }: CommandResult): string {
  return ms < 1000 ? '' : ` (${Math.round(ms / 1000)} s)`
}

function originText(of: PullRequestText): string {
  const rows = [
    `Task ${span(cut(of.task, MOST_COMMAND))}, session ${span(cut(of.session, MOST_COMMAND))}`,
    ...(of.transcript === null ? [] : [`transcript ${span(cut(of.transcript, MOST_COMMAND))}`]),
    ...(of.usage === null ? [] : [usageText(of.usage)]),
  ]
  return `---\n${rows.join(' · ')}`
}

function usageText({ input, cacheRead, cacheWrite, output, source }: Usage): string {
  const about = source === 'estimated' ? 'about ' : ''
  return `${about}${input + cacheRead + cacheWrite} tokens in, ${about}${output} out`
}

/** Text as markdown that shows it as it is: no HTML, no formatting, no mention, no reference, no link. */
function prose(text: string): string {
  return clean(text)
    .replaceAll(/[\\`*_{}[\]<>#|~!&$^]/g, '\\$&')
    .replaceAll(/^([ \t]*)([-+=:])/gm, '$1\\$2')
    .replaceAll(/^([ \t]*\d{1,9})([.)])/gm, '$1\\$2')
    .replaceAll(/^[ \t]+/gm, '')
    .replaceAll('@', `@${GAP}`)
    .replaceAll('#', `#${GAP}`)
    .replaceAll('://', `:${GAP}//`)
    .replaceAll(/\b(GH|gh|www)([-.])/g, `$1${GAP}$2`)
}

/** Of no width: parts what a forge would else read as a mention, a reference to an issue, or a link. */
const GAP = '\u200b'

/** A code span around any text of one line. */
function span(text: string): string {
  const inner = clean(oneLine(text))
  const fence = '`'.repeat(longestRun(inner) + 1)
  return inner === '' ? '' : /^`|`$/.test(inner) ? `${fence} ${inner} ${fence}` : fence + inner + fence
}

/** A fenced block below a list item, folded by nothing: its text is shown as it is. */
function block(text: string): string {
  const inner = clean(text).trimEnd()
  const fence = '`'.repeat(Math.max(3, longestRun(inner) + 1))
  return ['', `${fence}text`, ...inner.split('\n'), fence, ''].map((line) => `  ${line}`.trimEnd()).join('\n')
}

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0)
}

/** Without secrets, credentials, control characters and folders of this machine. */
function clean(text: string): string {
  return withoutFolders(withoutCredentials(redact(text))).replaceAll(/[^\P{Cc}\n\t]|\u200b/gu, '')
}

/** `…/name` in place of absolute paths, whose folders say something about the machine and nothing to a reader. */
function withoutFolders(text: string): string {
  return text
    .replaceAll(PATH, (path, name: string) => (HOME.test(path) ? '…' : `…/${name}`))
    .replaceAll(DRIVE_PATH, '…\\')
}

const PATH = /(?<![\w.:/\\~-])(?:file:\/\/|~)?(?:\/[^\s/'"`<>|:;,()]{1,255})+\/([^\s/'"`<>|:;,()]*)/g
/** The last name is the user's. */
const HOME = /^(?:file:\/\/)?\/(?:home|Users)\/[^/]+\/?$/
const DRIVE_PATH = /(?<!\w)[A-Za-z]:\\(?:[^\s\\'"`<>|:;,()]{1,255}\\)*/g
