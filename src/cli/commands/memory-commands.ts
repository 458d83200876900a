/**
 * `neo memory` and `neo search`: memories of rooms; each change is one commit. Invariant 1: what `distill` did not do is
 * named, and the command ends with 1.
 */
import type { HubClient } from '../../client/hub-client.ts'
import { NeoError } from '../../domain/home/error.ts'
import { counted } from '../../domain/text/counted.ts'
import { durationMs } from '../../files/values/duration.ts'
import type { ParamsOf, ResultOf } from '../../hub/method-table.ts'
import { usage } from '../cli-failure.ts'
import { countOption, paramsOf, textOrStdin } from '../option-values.ts'
import { dim } from '../output.ts'
import { dateText } from '../shown-text.ts'
import { type Call, firstOf } from '../spec.ts'
import { withHub } from '../with-hub.ts'

export async function addMemory(call: Call): Promise<number> {
  const [roomId = '', typed = ''] = call.args
  const content = (await textOrStdin(call, typed)).trim()
  if (content === '')
    throw usage('Cannot save the memory: the text is empty', "neo memory add ROOM 'what to keep'")
  return await withHub(call, async (hub) => {
    const params: ParamsOf<'memory.add'> = {
      roomId: roomId.replace(/^rooms\//, ''),
      type: 'note',
      content,
      ...paramsOf(call),
    }
    const memory = await hub.call('memory.add', params, 'neo room list')
    call.out.data('memory.add', memory)
    call.out.line(memory.id, dim(memory.path))
    if (memory.content.trim() !== content) call.out.note('Text that looks like a secret was masked.')
    return 0
  })
}

const DEFAULT_LIMIT = 50
/** The hub lists at most so many of a room. */
const MOST = 1000

type Memories = ResultOf<'memory.list'>

export function listMemories(call: Call): Promise<number> {
  return withHub(call, async (hub) => {
    const limit = countOption(call, 'limit') ?? DEFAULT_LIMIT
    const all = await inRooms(call, hub)
    const shown = all.slice(0, limit)
    call.out.data('memory.list', shown)
    call.out.table(
      shown.map(({ id, roomId, type, createdAt, content }) => [
        id,
        { text: roomId, style: 'cyan' },
        dim(type),
        dim(createdAt === null ? '' : dateText(createdAt)),
        content.trim().split('\n', 1)[0] ?? '',
      ]),
      4,
    )
    if (all.length > shown.length) call.out.note(`${all.length - shown.length} more: --limit ${all.length}`)
    if (shown.length === 0) call.out.note('No memories yet: neo memory add')
    return 0
  })
}

async function inRooms(call: Call, hub: HubClient): Promise<Memories> {
  const { roomId: only, type } = paramsOf<ParamsOf<'memory.list'>>(call)
  const ofType = type === undefined ? {} : { type }
  const listed = (roomId: string) =>
    hub.call('memory.list', { roomId, limit: MOST, ...ofType }, 'neo room list')
  const found = only === undefined ? await inEachRoom(call, hub, listed) : await listed(only)
  return found.toSorted((a, b) => ((a.createdAt ?? '') < (b.createdAt ?? '') ? 1 : -1))
}

/** A room that can't be used now, as its ROOM.md has an error, is named, and left out. */
async function inEachRoom<T>(
  { out }: Call,
  hub: HubClient,
  listed: (roomId: string) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const found: T[] = []
  for (const { id } of await hub.call('room.list', { includeArchived: true }))
    try {
      found.push(...(await listed(id)))
    } catch (error) {
      if (!(error instanceof NeoError) || error.code !== 'failed') throw error
      out.note(error.message)
    }
  return found
}

export function deleteMemory(call: Call): Promise<number> {
  return withHub(call, async (hub) => {
    const memoryId = firstOf(call)
    const path = await pathOf(call, hub, memoryId)
    await hub.call('memory.delete', { memoryId }, 'neo memory list')
    call.out.data('memory.delete', { memoryId })
    call.out.line(path, 'is deleted')
    call.out.note(`To restore it: neo memory restore ${path}`)
    return 0
  })
}

/** Its path before it is deleted. For an unknown id, the id: the hub then reports the error. */
async function pathOf(call: Call, hub: HubClient, memoryId: string): Promise<string> {
  const all = await inEachRoom(call, hub, (roomId) => hub.call('memory.list', { roomId, limit: MOST }))
  return all.find(({ id, path }) => id === memoryId || path === memoryId)?.path ?? memoryId
}

type Changes = ResultOf<'memory.log'>

export function memoryHistory(call: Call): Promise<number> {
  return withHub(call, async (hub) => {
    const path = firstOf(call)
    const params = { ...paramsOf<ParamsOf<'memory.log'>>(call), ...(path === '' ? {} : { path }) }
    const changes =
      path === '' && params.roomId === undefined
        ? await everywhere(call, hub, params.limit ?? DEFAULT_LIMIT)
        : await hub.call('memory.log', params, 'neo memory log --help')
    call.out.data('memory.log', changes)
    call.out.table(
      changes.map(({ commit, at: when, author, subject }) => [
        { text: commit.slice(0, 8), style: 'cyan' },
        dim(dateText(when)),
        author,
        subject,
      ]),
      3,
    )
    if (changes.length === 0) call.out.note('No commits: it was never committed.')
    return 0
  })
}

/** Of the home and of every room: one commit may have changed several. */
async function everywhere(call: Call, hub: HubClient, limit: number): Promise<Changes> {
  const all = await inEachRoom(call, hub, (roomId) => hub.call('memory.log', { roomId, limit }))
  return [...new Map(all.map((change) => [change.commit, change])).values()]
    .toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at))
    .slice(0, limit)
}

export function restoreMemory(call: Call): Promise<number> {
  return withHub(call, async (hub) => {
    const path = firstOf(call)
    const params = { path, ...paramsOf<ParamsOf<'memory.restore'>>(call) }
    const restored = await hub.call('memory.restore', params, `neo memory log ${path}`)
    call.out.data('memory.restore', restored)
    call.out.line(restored.path, `is as in ${restored.commit.slice(0, 8)}`)
    return 0
  })
}

export async function searchMemories(call: Call): Promise<number> {
  const params = searchParams(call, Date.now())
  const { note, ...found } = await withHub(call, (hub) =>
    hub.call('memory.search', params, 'neo memory search --help'),
  )
  call.out.data('memory.search', found)
  call.out.table(
    found.results.map(({ memoryId, source, snippet, score }) => [
      memoryId,
      dim(score.toFixed(2)),
      { text: source, style: 'cyan' },
      plain(snippet),
    ]),
    3,
  )
  const { results, total } = found
  if (total > results.length) call.out.note(`${total - results.length} more: --limit ${total}`)
  if (total === 0) call.out.note('No memory matches.')
  if (note !== '') call.out.note(note)
  return 0
}

/** Without the marks that transcripts put around messages. */
function plain(snippet: string): string {
  return snippet.replaceAll(/<\/?(?:message|data)(?:\s[^<>]*)?>\s*/g, '')
}

function searchParams(call: Call, now: number): ParamsOf<'memory.search'> {
  const [from, to] = [timeOf(call, 'since', now), timeOf(call, 'until', now)]
  return {
    query: firstOf(call),
    ...paramsOf(call),
    ...(from === null ? {} : { from }),
    ...(to === null ? {} : { to }),
  }
}

/** A date or time unchanged; a duration as the time that long ago. */
function timeOf(call: Call, option: 'since' | 'until', now: number): string | null {
  const text = call.text(option)
  if (text === null || /^\d{4}-\d\d-\d\d(?:T[\d:.]+Z?)?$/.test(text)) return text
  const ms = durationMs(text)
  if (ms === null)
    throw usage(
      `Cannot take --${option} "${text}": want a date such as 2026-03-01, or a duration such as 7d`,
      `--${option} 7d`,
    )
  return new Date(now - ms).toISOString()
}

export function distillMemories(call: Call): Promise<number> {
  return withHub(call, async (hub) => {
    const [room, scope] = [call.text('room'), call.text('scope')]
    if (room !== null && scope !== null)
      throw usage(
        'Cannot distill: --room and --scope are both given, want one',
        'neo memory distill --scope telegram-m1',
      )
    if (scope !== null) {
      const report = await hub.call('scope.distill', { scopeId: scope }, 'neo rpc scope.list')
      call.out.data('scope.distill', report)
      return told(call, [{ ...report, name: report.scope }])
    }
    const reports = await hub.call('memory.distill', paramsOf(call), 'neo room list')
    call.out.data('memory.distill', reports)
    return told(
      call,
      reports.map((report) => ({ ...report, name: report.room })),
    )
  })
}

interface Report {
  readonly name: string
  readonly kind: string
  readonly facts: number
  readonly notes: number
  readonly results?: number
  readonly summarised: number
  readonly trouble: string
  readonly refused: readonly string[]
}

function told({ out }: Call, reports: readonly Report[]): number {
  out.table(
    reports.map(({ name, kind, facts, notes, results, summarised }) => [
      { text: name, style: 'cyan' },
      kind === 'waits' ? { text: 'waits: a file is being edited', style: 'yellow' } : kind,
      [
        `${counted(facts, 'fact')}, ${counted(notes, 'note')}`,
        ...(results === undefined ? [] : [counted(results, 'result')]),
        ...(summarised > 0 ? [`${counted(summarised, 'message')} summarised`] : []),
      ].join(', '),
    ]),
    2,
  )
  const refused = reports.flatMap((one) => one.refused)
  if (refused.length > 0) out.note(`Not stored, because it looks like a secret: ${refused.join('; ')}`)
  const troubles = reports.filter(({ trouble }) => trouble !== '')
  for (const { name, trouble } of troubles) out.note(`${name}: not summarised: ${trouble}`)
  return troubles.length > 0 || reports.some(({ kind }) => kind === 'waits') ? 1 : 0
}
