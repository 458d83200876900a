/**
 * What a session can do beside its files, over its mailbox: ask a person, request approval, remember, start a subagent.
 * Invariant 1: the same key asks once, also after a restart: request and answer are in the session's folder. Invariant
 * 2: a stop or a detach ends every wait with Interrupted, and changes nothing.
 */
import { createHash } from 'node:crypto'
import type { JsonObject } from '../domain/agent/model-message.ts'
import { maskSecrets } from '../domain/secrets/distill-secrets.ts'
import { maskJson, redact } from '../domain/secrets/redact.ts'
import type { Delivery, Want } from '../domain/session/session.ts'
import { type AgentDeps, abortedEnd } from '../runner/deps.ts'
import type { Run } from '../runner/run-step.ts'
import { answerWith, deliver, type Mailbox, noteProgress, openMailbox } from './mailbox.ts'
import type { Services } from './tools/tool.ts'

/** The run was stopped or left while it waited. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}

/** How a session ends whose wait was interrupted. Throws any other error again. */
export function interruptedEnd(error: unknown, signal: AbortSignal): ReturnType<typeof abortedEnd> {
  if (!(error instanceof Interrupted)) throw error
  return abortedEnd(signal)
}

/** Subagents of subagents start none. */
const DEEPEST = 2

export function openServices(run: Run, deps: AgentDeps, told: Set<string>): Services {
  const mailbox = openMailbox(run.deps.world.files, run.deps.dirs.session)
  // A message that was an answer counts as told, also if the program died before that was written down.
  for (const key of mailbox.answering()) told.add(key)
  const put = (want: Omit<Want, 'id'>, prefix: 'a' | 't' | 'm') => {
    mailbox.want({ ...want, text: redact(want.text), id: idOf(run, want.key, prefix) })
    deps.wanted()
  }
  return {
    async remember({ text, tags, type }) {
      const about = maskJson({ type, tags }) as JsonObject
      const kept = maskSecrets(text)
      put({ key: `memory-${digest(text)}`, kind: 'memory', text: kept.text, arguments: about }, 'm')
      if (kept.keys.length === 0) return 'saved'
      return `saved without ${[...new Set(kept.keys)].join(', ')}: secrets are never stored`
    },
    recall: (query, limit) => deps.recall(run.record.room, query, limit),
    files: async (query, limit) => (await deps.files?.(run.record.room, query, limit)) ?? null,
    async report({ text: said, percent, done }) {
      const text = redact(said)
      run.deps.on.line?.(percent === null ? text : `${percent} % ${text}`)
      noteProgress(run.deps.world.files, run.deps.dirs.session, { text, percent, done })
      return 'noted'
    },
    async ask(key, question) {
      put({ key, kind: 'question', text: question }, 'a')
      return (await run.waited.during(() => answered(run, { deps, mailbox, key, told }))).text
    },
    async approve(key, { tool, arguments: args, reason }, settled) {
      if (JSON.stringify(maskJson(args)) !== JSON.stringify(args)) return { verdict: 'no', why: SHOWS_ALL }
      put({ key, kind: 'approval', text: reason, tool, arguments: args }, 'a')
      const answer = await run.waited.during(() => answered(run, { deps, mailbox, key, told: null, settled }))
      if (answer.verdict === 'yes') return { verdict: 'yes' }
      return { verdict: 'no', why: answer.text === '' ? `denied by ${answer.from}` : answer.text }
    },
    async spawn(key, prompt, persona) {
      const no = refusedSpawn(run, deps, persona)
      if (no !== null) return { wrong: no }
      const named = persona === undefined ? {} : { arguments: { persona } }
      put({ key, kind: 'spawn', text: prompt, ...named }, 't')
      return { text: 'started in the background; its result arrives as a message' }
    },
    skill: (name, file) => deps.skill({ name, file, place: run.record.place }),
  }
}

/** Null: the subagent may be started. */
function refusedSpawn({ record }: Run, deps: AgentDeps, persona: string | undefined): string | null {
  const depth = record.agent?.depth ?? 0
  if (depth >= DEEPEST) return `refused: this is a subagent at depth ${depth}, and the limit is ${DEEPEST}`
  const names = deps.personas?.() ?? []
  if (persona === undefined || names.includes(persona)) return null
  return `no persona is called "${persona}"; there are: ${names.join(', ') || 'none'}`
}

/** A request is a committed file, and what it shows is what runs: it can hold neither a secret nor its mask. */
const SHOWS_ALL =
  'it contains what looks like a secret, and the person who decides has to see all of it; use a variable or a file instead'

interface Waiting {
  readonly deps: AgentDeps
  readonly mailbox: Mailbox
  readonly key: string
  /** Keys of messages that were told already; null: a message can't be the answer. */
  readonly told: Set<string> | null
  readonly settled?: (() => Promise<boolean>) | undefined
}

/**
 * Waits for the answer. What a person or Neo says in the meantime answers a question as well: they know what was asked. A
 * session's words, a subagent's end and an edit of the task never do.
 */
async function answered(run: Run, { deps, mailbox, key, told, settled }: Waiting): Promise<Delivery> {
  const { signal, world, dirs, on } = run.deps
  for (;;) {
    const answer = mailbox.answer(key)
    if (answer !== null) {
      on.status?.('running')
      return answer
    }
    if (await settled?.()) {
      deliver(world.files, dirs.session, { key, kind: 'answer', from: 'human', text: '', verdict: 'yes' })
      deps.wanted()
      continue
    }
    const message =
      told === null ? undefined : mailbox.messages().find((one) => !told.has(one.key) && mayAnswer(one))
    if (message !== undefined) {
      told?.add(message.key)
      answerWith(world.files, dirs.session, { key, message })
      continue
    }
    if (signal.aborted) throw new Interrupted('stopped while it waited for an answer')
    // Only now: what has an answer already, such as a filter that was allowed in the meantime, does not wait.
    on.status?.('waiting_for_input')
    await deps.mail(run.record.id, signal)
  }
}

function mayAnswer({ from, key }: Delivery): boolean {
  return !key.startsWith('edit-') && (/^(?:human|editor|neo)$/.test(from) || from.startsWith('member:'))
}

/** The same session and key give the same id. */
function idOf(run: Run, key: string, prefix: string): string {
  const hash = createHash('sha256').update(`${run.record.id}\n${key}`).digest()
  const letters = Array.from(hash.subarray(0, 8), (byte) => 'abcdefghijklmnopqrstuvwxyz234567'[byte & 31])
  return `${prefix}-${letters.join('')}`
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}
