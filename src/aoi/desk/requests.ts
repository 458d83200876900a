/**
 * What agents of other homes have asked, and how far it is. Invariant 1: a request is on disk before it is answered, so a
 * restart loses none. Invariant 2: the same agent, request id and content is one request, however often it comes; a client
 * that uses its ids again, as one that counts from 1 after a restart, asks for something else. Invariant 3: at most
 * MOST_ENDED that have ended are kept, and MOST_OPEN of one agent are open.
 */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { ContextRef, PeerPriority } from '../../domain/peer/peer.ts'
import { contextText } from '../../hub/methods/agents/agent-shapes.ts'
import type { PeerRequestView } from '../../hub/peer-control.ts'
import type { LogFiles } from '../../store/keyed-log.ts'
import { openRecords } from '../../store/record-log.ts'
import type { Answer } from '../agent-core.ts'

export interface PeerRequest {
  readonly id: string
  readonly agentId: string
  /** The caller's id of its request, as text. */
  readonly requestId: string
  readonly kind: 'query' | 'task'
  readonly text: string
  readonly scope: readonly ContextRef[]
  readonly status: PeerRequestView['status']
  /** ISO 8601 UTC. */
  readonly at: string
  readonly roomId: string | null
  readonly askId: string | null
  readonly taskId: string | null
  readonly priority: PeerPriority
  /** Epoch ms, for `buffered`. */
  readonly until?: number
  /** A notification follows when it ends. */
  readonly notifies: boolean
  readonly answer?: Answer
  /** When the caller first got what it ended with, epoch ms. */
  readonly givenAt?: number
}

export interface Requests {
  get(id: string): PeerRequest | null
  all(): readonly PeerRequest[]
  /** Those that have not ended. */
  open(): readonly PeerRequest[]
  /** Throws NeoError `disk` if it can't be saved; then nothing has changed. */
  set(request: PeerRequest): void
  remove(id: string): void
}

/** 64 bits in base 36. */
const ID_LETTERS = 13
const MOST_ENDED = 1_000
export const MOST_OPEN = 100
const ENDED: ReadonlySet<PeerRequest['status']> = new Set<PeerRequest['status']>([
  'answered',
  'refused',
  'completed',
  'failed',
])

/**
 * Ids are made from the whole request: a caller can't guess those of others, and the same request has the same id.
 * @param content what it asks for, with keys in a fixed order
 */
export function idOf(
  { kind, agentId, requestId }: Pick<PeerRequest, 'kind' | 'agentId' | 'requestId'>,
  content: readonly unknown[],
): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([kind, agentId, requestId, ...content]))
    .digest()
  const number = BigInt(`0x${hash.subarray(0, 8).toString('hex')}`)
  const letters = number.toString(36).padStart(ID_LETTERS, '0')
  return `${kind === 'query' ? 'q' : 't'}-${letters}`
}

export function hasEnded({ status }: Pick<PeerRequest, 'status'>): boolean {
  return ENDED.has(status)
}

/** How it looks to clients of this home. */
export function viewRequest(request: PeerRequest): PeerRequestView {
  const { id, agentId, kind, text, status, at, askId, taskId, roomId, scope } = request
  return { id, agentId, kind, text, scope: scope.map(contextText), status, at, askId, taskId, roomId }
}

/** @param dir `<git dir>/neo` */
export function openRequests(files: LogFiles, dir: string): Requests {
  const records = openRecords<PeerRequest>(files, join(dir, 'agent', 'requests.jsonl'), {
    most: MOST_ENDED,
    hasEnded,
  })
  return {
    get: (id) => records.get(id),
    all: () => records.all(),
    open: () => records.all().filter((one) => !hasEnded(one)),
    set: (request) => records.set(request, request.notifies ? undefined : 'later'),
    remove: (id) => records.remove(id),
  }
}
