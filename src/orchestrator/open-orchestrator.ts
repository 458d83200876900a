/**
 * Neo: one orchestrator for each room, which takes its turn when it is woken. Knows the hub by its interface alone.
 * Invariant 1: what concerns one room happens in order; rooms run beside each other.
 */
import { NeoError } from '../domain/home/error.ts'
import type { Trigger } from '../domain/plan/trigger.ts'
import type { Orchestrator, ScopeMind, Turned } from '../engine/agents/orchestrator.ts'
import type { Principal } from '../domain/policy/policy-acts.ts'
import type { NeoControl } from '../hub/neo-control.ts'
import type { Acting } from './run-actions.ts'
import type { Asking } from './orchestrator-model-call.ts'
import { openScopeMind } from './scope-conversations.ts'
import { FOLD_ALL, fold } from './fold-conversation.ts'
import type { NeoOptions, NeoStatus } from './options.ts'
import {
  type ClosedTranscript,
  closedTranscripts,
  openStore,
  type Store,
  type StoreOptions,
} from './conversation-store.ts'
import { speakersIn } from './speaker-rights.ts'
import { BY_PERSON, runTurn, type TurnEnd } from './turn.ts'
import { viewConversation, type Present } from './conversation-view.ts'

export interface Neo extends Orchestrator, NeoControl {
  /** Transcripts that nothing is added to any more: commit each as `rooms/<room>/transcripts/<name>`, then remove it. */
  closed(): readonly ClosedTranscript[]
  readonly scopes: ScopeMind
}

interface RoomState {
  readonly store: Store
  /** What was last put in line. */
  last: Promise<unknown>
  running: 'yes' | 'no'
  /** Ends the turn under way; null where none is. */
  stop: (() => void) | null
  present: Present
  /** Turns in a row that gave up. */
  gaveUp: number
}

const FIRST_PAUSE_MS = 5 * 60_000
const LONGEST_PAUSE_MS = 6 * 3_600_000
const IDLE: Present = { status: 'idle', task: null, session: null }

/** Opens Neo. Reads and calls nothing before the first turn. */
export function openNeo(options: NeoOptions): Neo {
  const rooms = new Map<string, RoomState>()
  const { files, clock, dir, home } = options
  const storing: StoreOptions = { files, clock, dir, home, timezone: () => options.config().timezone }
  const roomOf = (room: string): RoomState => {
    const known = rooms.get(checkedRoom(room))
    if (known !== undefined) return known
    const store = openStore(storing, room)
    const made: RoomState = {
      store,
      last: Promise.resolve(),
      running: 'no',
      stop: null,
      present: IDLE,
      gaveUp: 0,
    }
    rooms.set(room, made)
    return made
  }
  return {
    scopes: openScopeMind(options),
    turn: (room, triggers, signal) => {
      const state = roomOf(room)
      const acting = () => ({ ...speaking(options, state.store, { room, triggers }), scope: null, signal })
      return inLine(state, async () => takeTurn(acting(), state, triggers))
    },
    say: (room, content, by) => options.keep(checkedRoom(room), content, by),
    context: (room) => viewConversation(roomOf(room).store.state(), roomOf(room).present),
    compact: (room) => inLine(roomOf(room), () => compact(options, roomOf(room).store, room)),
    clear: (room) =>
      inLine(roomOf(room), async () => {
        const { store } = roomOf(room)
        store.put('end', { of: 'conversation', why: 'new' })
        store.keep()
      }),
    stop(room) {
      const { stop } = roomOf(room)
      stop?.()
      return stop === null ? 'idle' : 'stopped'
    },
    closed: () =>
      closedTranscripts(
        storing,
        (room) => roomOf(room).running,
        (room) => roomOf(room).store,
      ),
  }
}

/** Where members speak, with no more rights than each of them has. */
function speaking(
  options: NeoOptions,
  store: Store,
  { room, triggers }: { readonly room: string; readonly triggers: readonly Trigger[] },
): Pick<Acting, 'options' | 'store' | 'room' | 'principal'> {
  const open = store.state().open?.keys ?? []
  const [speaker, ...others] = speakersIn(options, room, { triggers, open })
  const within = { scope: null, speaker: speaker ?? 'human', others, keeps: 'shared' } as const
  const principal: Principal = { kind: 'neo', room, ...(speaker === undefined ? {} : { within }) }
  return { options, store, room, principal }
}

/** Names of rooms become names of files. */
function checkedRoom(room: string): string {
  if (room === '' || room.startsWith('.') || /[/\\\0]/.test(room))
    throw new NeoError('internal', `Cannot open the conversation of "${room}": not a valid room name`)
  return room
}

function inLine<T>(state: RoomState, run: () => Promise<T>): Promise<T> {
  const next = state.last.then(async () => {
    state.running = 'yes'
    try {
      return await run()
    } finally {
      state.running = 'no'
    }
  })
  state.last = next.catch(() => {})
  return next
}

async function takeTurn(acting: Acting, state: RoomState, triggers: readonly Trigger[]): Promise<Turned> {
  if (triggers.length === 0) return { kind: 'done', reply: '' }
  const show = (status: NeoStatus, note?: string) => showStatus(acting, state, { status, note, triggers })
  const stopping = new AbortController()
  const signal = AbortSignal.any([acting.signal, stopping.signal])
  state.stop = () => stopping.abort(BY_PERSON)
  show('thinking')
  try {
    const end = await runTurn({ ...acting, signal }, triggers)
    show(end.asked === 'yes' ? 'waiting_for_input' : 'idle', end.why)
    return withPause(acting, state, end)
  } catch (error) {
    show('idle')
    throw error
  } finally {
    state.stop = null
  }
}

function showStatus(
  { options, room }: Acting,
  state: RoomState,
  of: {
    readonly status: NeoStatus
    readonly note?: string | undefined
    readonly triggers: readonly Trigger[]
  },
): void {
  const task = of.triggers.findLast((trigger) => trigger.task !== undefined)?.task ?? null
  const session = of.triggers.findLast((trigger) => trigger.session !== undefined)?.session ?? null
  state.present =
    of.status === 'thinking' ? { status: of.status, task, session } : { ...IDLE, status: of.status }
  if (of.note === undefined) options.onStatus(room, of.status)
  else options.onStatus(room, of.status, of.note)
}

/** What waits without a time of its own is tried again after pauses that grow. */
function withPause({ options }: Acting, state: RoomState, end: TurnEnd): Turned {
  const { giveUp, asked: _asked, ...turned } = end
  state.gaveUp = giveUp === 'yes' ? state.gaveUp + 1 : end.kind === 'done' ? 0 : state.gaveUp
  if (turned.kind === 'done' || turned.retryAt !== undefined) return turned
  const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(20, Math.max(0, state.gaveUp - 1)))
  return { ...turned, retryAt: options.clock.now() + pause }
}

/** By the home's model where it can be asked, else by rule. */
async function compact(options: NeoOptions, store: Store, room: string): Promise<void> {
  const { model: ref, providers } = options.config()
  const model = ref === 'rules' ? { wrong: 'no model' } : options.models.open(ref, providers)
  const signal = new AbortController().signal
  const asking: Omit<Asking, 'purpose'> | null = 'wrong' in model ? null : { room, model, store, signal }
  await fold(options, store, { asking, limits: FOLD_ALL })
}
