/**
 * How far each room is distilled: `<git dir>/neo/memory/<room>.json`; by a model: `memory/by-model/<room>.json`. A lost or
 * broken watermark starts from the beginning, and lines that exist already are not duplicated.
 */
import { join } from 'node:path'
import type { Context } from '../../engine/context.ts'
import type { Watermark } from './read-transcripts.ts'

export interface RoomMark extends Watermark {
  /** Attempts of tasks that have their memory: `t-7f3k2q@2`. */
  readonly results: readonly string[]
  /** Sources of messages that were heard while they waited. */
  readonly waited: readonly string[]
  readonly failures: number
  /** Epoch ms before which it is not tried again; 0 for any time. */
  readonly retryAt: number
  readonly error: string
}

/** How far the model has summarised it. */
export type ModelMark = Omit<RoomMark, 'results' | 'waited'>

const NEW: RoomMark = { file: '', line: 0, results: [], waited: [], failures: 0, retryAt: 0, error: '' }

type Where = Pick<Context, 'dir'> & { readonly world: Pick<Context['world'], 'files'> }

export function markOf({ dir, world }: Where, room: string): RoomMark {
  return read(world.files.readJson(pathOf(dir, room)))
}

export function modelMarkOf(at: Where, room: string): ModelMark {
  return modelMarkAt(at, modelPathOf(at.dir, room))
}

export function saveModelMark(at: Where, room: string, mark: ModelMark): void {
  saveModelMarkAt(at, modelPathOf(at.dir, room), mark)
}

/** The same of any file. */
export function modelMarkAt({ world }: Pick<Where, 'world'>, path: string): ModelMark {
  const { results: _, waited: __, ...mark } = read(world.files.readJson(path))
  return mark
}

export function saveModelMarkAt({ world }: Pick<Where, 'world'>, path: string, mark: ModelMark): void {
  world.files.writeJson(path, mark)
}

function read(kept: unknown): RoomMark {
  if (typeof kept !== 'object' || kept === null) return NEW
  const { file, line, results, waited, failures, retryAt, error } = kept as Readonly<Record<string, unknown>>
  return {
    file: typeof file === 'string' ? file : '',
    line: typeof line === 'number' ? line : 0,
    results: Array.isArray(results) ? results.map(String) : [],
    waited: Array.isArray(waited) ? waited.map(String) : [],
    failures: typeof failures === 'number' ? failures : 0,
    retryAt: typeof retryAt === 'number' ? retryAt : 0,
    error: typeof error === 'string' ? error : '',
  }
}

export function saveMark({ dir, world }: Where, room: string, mark: RoomMark): void {
  world.files.writeJson(pathOf(dir, room), mark)
}

function pathOf(dir: string, room: string): string {
  return join(dir, 'memory', `${room}.json`)
}

function modelPathOf(dir: string, room: string): string {
  return join(dir, 'memory', 'by-model', `${room}.json`)
}
