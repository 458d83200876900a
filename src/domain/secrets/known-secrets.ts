/**
 * The secrets that this process knows by value: those in `.env`, and those that it passes to sessions, workers and
 * servers. `redact` masks them in every text. Kept for the whole process, not passed along: a sink that was not given
 * the list would leak, and one process serves one home. Values are only ever added: after a change of `.env` older
 * output still holds the old value.
 */
import { type Masker, type MaskStream, openMasker, openMaskStream } from './mask-literals.ts'
import { formsOf, isSecretName, isSecretValue, isSureSecret } from './secret-values.ts'

type Pairs = Readonly<Record<string, string | undefined>>

/** By value: its first name; null for a value without a name, which is always masked. */
const values = new Map<string, string | null>()
let plain: ReadonlySet<string> = new Set()
let masker: Masker | null = null
let sureMasker: Masker | null = null

/** Learns the values of an environment that are secrets by its names and values. */
export function learnSecrets(pairs: Pairs): void {
  for (const [name, value] of Object.entries(pairs))
    if (value !== undefined && isSecretValue(name, value)) learn(value, name)
}

/** Of an environment that was not written for this program: those alone whose names say that they are secrets. */
export function learnNamedSecrets(pairs: Pairs): void {
  learnSecrets(Object.fromEntries(Object.entries(pairs).filter(([name]) => isSecretName(name))))
}

/** Learns what is handed out: the values of these names. */
export function learnHandedOut(names: Iterable<string>, env: Pairs): void {
  for (const name of names) learnSecrets({ [name]: env[name] })
}

/** Learns one value under a key that says that it is a secret, such as `api_key`. */
export function learnSecret(value: string): void {
  if (isSecretValue('secret', value)) learn(value, null)
}

/** Names of the environment whose values a person calls no secrets: `secrets.plain` in neo.yaml. */
export function callPlain(names: Iterable<string>): void {
  plain = new Set(names)
  forgetMaskers()
}

/** For a process that serves another home from now on, as a process of tests does. */
export function forgetSecrets(): void {
  values.clear()
  plain = new Set()
  forgetMaskers()
}

export function knowsSecrets(): boolean {
  return values.size > 0
}

/** Masks the values that are known. */
export function maskKnown(text: string): string {
  return values.size === 0 ? text : knownMasker().mask(text)
}

/**
 * Masks those that surely are secrets. For titles, names and what else a person has in files of their own: a common
 * word of an environment, such as the name of a project, stays readable there.
 */
export function maskSure(text: string): string {
  return values.size === 0 ? text : surelyMasker().mask(text)
}

/** The same in every text of plain data, also in its keys: a path of a file can be one. Bytes in base 64 stay. */
export function maskSureIn<T>(data: T): T {
  return values.size === 0 ? data : (maskedData(data, surelyMasker()) as T)
}

function maskedData(data: unknown, masker: Masker): unknown {
  if (typeof data === 'string') return masker.mask(data)
  if (Array.isArray(data)) return data.map((item) => maskedData(item, masker))
  if (data === null || typeof data !== 'object' || !isPlain(data)) return data
  const entries = Object.entries(data).map(([key, value]) => [
    masker.mask(key),
    key === 'base64' ? value : maskedData(value, masker),
  ])
  return Object.fromEntries(entries)
}

function isPlain(data: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(data)
  return prototype === Object.prototype || prototype === null
}

/** How often a known value is in a text. */
export function countKnown(text: string): number {
  const masks = (of: string) => of.split('***').length
  return masks(maskKnown(text)) - masks(text)
}

/** The same in what a file holds: as UTF-16 too, and broken over lines, as an editor or a terminal wraps it. */
export function countKnownIn(held: string): number {
  // The zero bytes of UTF-16 are left out.
  const text = held.replaceAll('\0', '')
  const count = countKnown(text)
  return text.includes('\n') ? Math.max(count, countKnown(text.replaceAll(WRAP, ''))) : count
}

const WRAP = /\\?\r?\n[ \t]*/g

/** For a text that streams in. */
export function maskKnownStream(): MaskStream {
  return openMaskStream(knownMasker)
}

function learn(value: string, name: string | null): void {
  const known = values.get(value)
  if (known === null || (known !== undefined && name !== null && !plain.has(known))) return
  values.set(value, name)
  forgetMaskers()
}

function knownMasker(): Masker {
  masker ??= openMasker(literalsNow())
  return masker
}

function surelyMasker(): Masker {
  sureMasker ??= openMasker(literalsNow((name, value) => isSureSecret(name, value)))
  return sureMasker
}

function literalsNow(counts: (name: string, value: string) => boolean = () => true): ReadonlySet<string> {
  const secret = [...values].filter(
    ([value, name]) => name === null || (!plain.has(name) && counts(name, value)),
  )
  return new Set(secret.flatMap(([value]) => [...formsOf(value)]))
}

function forgetMaskers(): void {
  masker = null
  sureMasker = null
}
