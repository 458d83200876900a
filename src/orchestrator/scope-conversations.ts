/**
 * Neo in scopes: one conversation each, with its own transcript and state, taken up by whoever speaks there. Invariant
 * 1: within a scope one thing at a time, scopes beside each other. Invariant 2: nothing that is said in one is told to
 * anybody but by the reply: no status, no stream, no notice. Invariant 3: idle ones are forgotten; files have all.
 */
import { join } from 'node:path'
import type { ScopeMind, ScopeTurn, Turned } from '../engine/agents/orchestrator.ts'
import type { Acting } from './run-actions.ts'
import type { NeoOptions } from './options.ts'
import { closedTranscripts, openStore, type Store, type StoreOptions } from './conversation-store.ts'
import { BY_PERSON, runTurn } from './turn.ts'

interface Talk {
  readonly store: Store
  /** What was last put in line. */
  last: Promise<unknown>
  /** How much is in line or under way. */
  busy: number
  stop: (() => void) | null
}

/** Conversations that are held in memory, beside those under way. */
const MOST_OPEN = 64

export function openScopeMind(options: NeoOptions): ScopeMind {
  const talks = new Map<string, Talk>()
  const { onText: _, ...rest } = options
  const quiet: NeoOptions = { ...rest, onStatus: () => {}, say: async () => {} }
  const talkOf = (scope: ScopeTurn['scope']): Talk => {
    const talk = talks.get(scope.name) ?? openTalk(quiet, scope)
    // The newest last: the oldest idle ones go first.
    talks.delete(scope.name)
    talks.set(scope.name, talk)
    for (const [name, { busy }] of talks) if (talks.size > MOST_OPEN && busy === 0) talks.delete(name)
    return talk
  }
  return {
    talk(turn, signal) {
      const talk = talkOf(turn.scope)
      return inLine(talk, () => take(quiet, talk, { turn, signal }))
    },
    renew(scope) {
      const talk = talkOf(scope)
      return inLine(talk, async () => {
        if (talk.store.state().items.length > 0 || talk.store.state().open !== null)
          talk.store.put('end', { of: 'conversation', why: 'new' })
        talk.store.keep()
      })
    },
    stop(name) {
      const stop = talks.get(name)?.stop ?? null
      stop?.()
      return stop === null ? 'idle' : 'stopped'
    },
    closed(scope) {
      const { store, busy } = talkOf(scope)
      const places = placesOf(quiet, scope)
      return closedTranscripts(
        places,
        () => (busy > 0 ? 'yes' : 'no'),
        () => store,
      )
    },
    async drop(name) {
      const talk = talks.get(name)
      await talk?.last
      talks.delete(name)
    },
  }
}

function openTalk(options: NeoOptions, scope: ScopeTurn['scope']): Talk {
  const store = openStore(placesOf(options, scope), scope.name)
  return { store, last: Promise.resolve(), busy: 0, stop: null }
}

function placesOf(
  { files, clock, home, config }: NeoOptions,
  { state, folder, keeps }: ScopeTurn['scope'],
): StoreOptions {
  const moved = join(folder, keeps === 'shared' ? 'transcripts' : 'moved')
  return { files, clock, home, dir: state, moved, timezone: () => config().timezone }
}

function inLine<T>(talk: Talk, run: () => Promise<T>): Promise<T> {
  talk.busy += 1
  const next = talk.last.then(run).finally(() => {
    talk.busy -= 1
  })
  talk.last = next.catch(() => {})
  return next
}

async function take(
  options: NeoOptions,
  talk: Talk,
  { turn, signal }: { readonly turn: ScopeTurn; readonly signal: AbortSignal },
): Promise<Turned> {
  const { room, speaker, scope } = turn
  const stopping = new AbortController()
  const acting: Acting = {
    ...{ options, store: talk.store, room, scope: turn },
    principal: { kind: 'neo', room, within: { scope: scope.name, speaker, keeps: scope.keeps } },
    signal: AbortSignal.any([signal, stopping.signal]),
  }
  talk.stop = () => stopping.abort(BY_PERSON)
  try {
    const { giveUp: _, asked: __, ...turned } = await runTurn(acting, turn.messages)
    return turned
  } finally {
    talk.stop = null
  }
}
