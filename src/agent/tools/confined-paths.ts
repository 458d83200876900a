/**
 * Where an agent's tools may read and write: the rules of domain/agent/confinement.ts, applied to the worktree as it is
 * now. Invariant 1: the rules judge the real path, at the instant of the operation and with its folder held open.
 * Invariant 2: a refusal names the path as it was written, and nothing outside. Invariant 3: `bytesOf(textOf(bytes))`
 * gives the same bytes.
 */
import { counted } from '../../domain/text/counted.ts'
import { type Bounds, below, type Mode, OUTSIDE, refusalOf, startOf } from '../../domain/agent/confinement.ts'
import { redact } from '../../domain/secrets/redact.ts'
import type { Admit } from '../../ports/worktree-files-port.ts'
import type { ToolContext } from './tool.ts'

type Where = Pick<ToolContext, 'root' | 'cwd' | 'permissions' | 'home' | 'tree'>

/** Bytes of a file that a tool takes whole. */
const MOST_BYTES = 8 * 1024 * 1024

/** Where a path leads: absolute, links resolved. A file that is to be made has its folders resolved. */
export function resolveInside(
  context: Where,
  path: string,
  mode: Mode,
):
  | { readonly path: string; readonly kind: 'file' | 'folder' | 'missing' | 'other' }
  | { readonly refused: string } {
  const start = startOf(path, context)
  if ('refused' in start) return { refused: sentence(path, start.refused) }
  const led = context.tree.look(context.root, start.path)
  if (led.kind === 'refused') return { refused: sentence(path, led.why) }
  const why = refusalOf(led.path, mode, boundsOf(context))
  if (why !== null) return { refused: sentence(path, why) }
  return { path: led.path === '' ? context.root : `${context.root}/${led.path}`, kind: led.kind }
}

/** Reads a file of the worktree, with everything checked as it is opened. */
export function readInside(
  context: Where,
  path: string,
):
  | { readonly kind: 'file'; readonly bytes: Buffer; readonly path: string }
  | { readonly kind: 'folder' | 'missing' | 'refused'; readonly refused: string } {
  const start = startOf(path, context)
  if ('refused' in start) return { kind: 'refused', refused: sentence(path, start.refused) }
  const options = { maxBytes: MOST_BYTES, admit: admitting(context, 'read') }
  const found = context.tree.read(context.root, start.path, options)
  switch (found.kind) {
    case 'file':
      return found
    case 'missing':
      return { kind: 'missing', refused: sentence(path, 'does not exist') }
    case 'folder':
      return { kind: 'folder', refused: sentence(path, 'is a folder; expected a file') }
    case 'other':
      return { kind: 'refused', refused: sentence(path, 'is not a regular file') }
    case 'refused':
      return { kind: 'refused', refused: sentence(path, found.why) }
  }
}

/** Writes a file of the worktree, whole or not at all. `change` makes the new bytes of the old ones. */
export function writeInside(
  context: Where,
  path: string,
  change: (old: Buffer | null) => Buffer | { readonly refused: string },
): { readonly before: 'file' | 'missing'; readonly path: string } | { readonly refused: string } {
  const start = startOf(path, context)
  if ('refused' in start) return { refused: sentence(path, start.refused) }
  const options = { maxBytes: MOST_BYTES, admit: admitting(context, 'write'), change }
  if (/\/\.?\/*$/.test(path)) return { refused: sentence(path, 'ends in "/"; expected the name of a file') }
  const done = context.tree.write(context.root, start.path, options)
  return done.kind === 'refused' ? { refused: sentence(path, done.why) } : done
}

/** What the rules say of a real path, relative to the worktree's top. */
export function admitting(context: Where, mode: Mode): Admit {
  const bounds = boundsOf(context)
  return (real) => refusalOf(real, mode, bounds)
}

/** Whether the worktree is one of a home is known from the session's start; no file in it decides that. */
function boundsOf(context: Where): Bounds {
  const folder = below(context.root, context.cwd) ?? ''
  return { folder, home: context.home ?? 'no', write: context.permissions.write }
}

function sentence(path: string, why: string): string {
  const shown = path.length > 200 ? `${path.slice(0, 200)}…` : path
  const next =
    why === OUTSIDE ? `; paths are relative to the folder of the workspace, without a leading "/"` : ''
  return `${JSON.stringify(shown)} ${why}${next}`
}

/** Bytes in which a NUL says that a file is no text. */
const LOOKED_AT = 8192
const MASK = '***'
/** A masked value in place of a secret, as redact.ts leaves it. */
const MASKED =
  /(?:passw(?:or)?d|passphrase|pwd|secret|token|api[-_ ]?key|access[-_]?key|credentials?|bearer|authorization)["']?\s?(?:=>|[=:])?\s?["']?\*\*\*(?!\*)(?=["']?(?:[\s,;)}\]]|$))|:\/\/[^\s/:@]{0,100}:\*\*\*@/gi

export function textOf(bytes: Buffer): { readonly text: string } | { readonly wrong: string } {
  if (bytes.subarray(0, LOOKED_AT).includes(0))
    return { wrong: `is a binary file of ${counted(bytes.length, 'byte')}` }
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) }
  } catch {
    return { wrong: `is a file of ${counted(bytes.length, 'byte')} that is not UTF-8 text` }
  }
}

export function bytesOf(text: string): Buffer {
  return Buffer.from(text, 'utf8')
}

/**
 * Why a text must not replace another: it has masks (`***`) in the place of secrets, because it was written from what
 * was shown of the file. Null if it may.
 */
export function maskRefusal(old: string, fresh: string): string | null {
  const why = `would get "${MASK}" instead of a secret that was masked when the file was shown`
  const hides = old !== '' && redact(old) !== old
  if (hides && count(fresh, MASK) > count(old, MASK)) return why
  return (fresh.match(MASKED)?.length ?? 0) > (old.match(MASKED)?.length ?? 0) ? why : null
}

function count(text: string, part: string): number {
  return text.split(part).length - 1
}
