/**
 * What passes between a session and the rest of the home: requests go out (`wants/<key>.json`), deliveries come in
 * (`mail.jsonl`), and progress is reported (`progress.json`), all in the session's folder, so that a kill on either side
 * loses none. Invariants: 1. a request is written once and stays until the session ends; 2. a delivery can be read any
 * number of times: its handling is noted in the transcript; 3. a broken folder of one session does not affect others.
 */
import { join } from 'node:path'
import { hasTexts, jsonIn } from '../domain/text/is-map.ts'
import { redact } from '../domain/secrets/redact.ts'
import type { Delivery, Want } from '../domain/session/session.ts'
import { countBoxes, tickBoxes } from '../files/body/markdown.ts'
import type { Files } from '../ports/files-port.ts'

export interface Mailbox {
  want(want: Want): void
  /** The answer to a want; null before it came. */
  answer(key: string): Delivery | null
  messages(): readonly Delivery[]
  /** Keys of messages that were taken for the answer to a want. */
  answering(): readonly string[]
}

/** An answer that was a message: `message` is its key. */
interface Answering extends Delivery {
  readonly message?: string
}

const MOST_BYTES = 16 * 1024 * 1024

export function openMailbox(files: Files, dir: string): Mailbox {
  return {
    want(want) {
      const path = wantPath(dir, want.key)
      if (!isWant(files.readJson(path))) files.writeJson(path, want)
    },
    answer: (key) => deliveries(files, dir).find((one) => one.kind === 'answer' && one.key === key) ?? null,
    messages: () => deliveries(files, dir).filter((one) => one.kind === 'message'),
    answering: () => deliveries(files, dir).flatMap(({ message }) => message ?? []),
  }
}

/** Puts something into a session's mailbox, once a key. */
export function deliver(files: Files, dir: string, delivery: Delivery): void {
  const there = deliveries(files, dir).some(({ kind, key }) => kind === delivery.kind && key === delivery.key)
  if (!there) files.append(join(dir, 'mail.jsonl'), `${JSON.stringify(delivery)}\n`)
}

/** Lets a message be the answer to a want. */
export function answerWith(
  files: Files,
  dir: string,
  { key, message }: { readonly key: string; readonly message: Delivery },
): void {
  const answer: Answering = { ...message, key, kind: 'answer', message: message.key }
  deliver(files, dir, answer)
}

interface Mail {
  /** What nobody has answered. */
  readonly wants: readonly Want[]
  /** By the id of what was wanted. */
  readonly answers: ReadonlyMap<string, Delivery>
  /** Keys of messages. */
  readonly heard: ReadonlySet<string>
}

/** Everything for and from a session, in one reading of its folder. */
export function mailOf(files: Files, dir: string): Mail {
  const came = deliveries(files, dir)
  const answered = new Map(came.flatMap((one) => (one.kind === 'answer' ? [[one.key, one] as const] : [])))
  const all = wantsIn(files, join(dir, 'wants'))
  return {
    wants: all.filter(({ key }) => !answered.has(key)),
    answers: new Map(
      all.flatMap(({ key, id }) => {
        const answer = answered.get(key)
        return answer === undefined ? [] : [[id, answer] as const]
      }),
    ),
    heard: new Set(came.flatMap(({ kind, key }) => (kind === 'message' ? [key] : []))),
  }
}

function wantsIn(files: Files, folder: string): readonly Want[] {
  return files.names(folder).flatMap((name) => {
    const want = name.endsWith('.json') ? files.readJson(join(folder, name)) : null
    return isWant(want) ? [want] : []
  })
}

/** A damaged file is ignored: its session writes it again. */
function isWant(value: unknown): value is Want {
  return hasTexts(value, 'key', 'kind', 'text', 'id')
}

function isDelivery(value: unknown): value is Answering {
  return hasTexts(value, 'key', 'kind', 'from', 'text')
}

function wantPath(dir: string, key: string): string {
  return join(dir, 'wants', `${key.replaceAll(/[^\w-]/g, '_')}.json`)
}

function deliveries(files: Files, dir: string): readonly Answering[] {
  const read = files.read(join(dir, 'mail.jsonl'), MOST_BYTES)
  if (read.kind !== 'file') return []
  return read.bytes.toString('utf8').split('\n').map(jsonIn).filter(isDelivery)
}

interface Progress {
  readonly text: string
  /** 0 to 100; null if it was never reported. */
  readonly percent: number | null
  readonly done: readonly string[]
}

export function noteProgress(files: Pick<Files, 'readJson' | 'writeJson'>, dir: string, now: Progress): void {
  const before = readProgress(files, dir)
  const done = [...new Set([...(before?.done ?? []), ...now.done.map(redact)])]
  files.writeJson(path(dir), {
    text: redact(now.text),
    percent: now.percent ?? before?.percent ?? null,
    done,
  })
}

/** Null if nothing was reported. */
export function readProgress(files: Pick<Files, 'readJson'>, dir: string): Progress | null {
  const said = files.readJson(path(dir)) as Partial<Progress> | null
  if (typeof said?.text !== 'string' || !Array.isArray(said.done)) return null
  return { text: said.text, percent: typeof said.percent === 'number' ? said.percent : null, done: said.done }
}

/** Progress of a task by its checklist, with items reported since; without a checklist, the reported percentage. */
export function percentOf(body: string, said: Progress | null): number | null {
  const { done, total } = countBoxes(said === null ? body : tickBoxes(body, said.done))
  return total > 0 ? Math.round((100 * done) / total) : (said?.percent ?? null)
}

function path(dir: string): string {
  return join(dir, 'progress.json')
}
