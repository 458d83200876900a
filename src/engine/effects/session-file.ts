/** The session's file, `rooms/<room>/sessions/<id>.md`, written at its start and end, and its transcript. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { NO_SUM, usdOf } from '../../domain/budget/usage-sum.ts'
import { maskSure } from '../../domain/secrets/known-secrets.ts'
import type { CommandResult, Outcome, SessionRecord, SessionStatus } from '../../domain/session/session.ts'
import { fenced } from '../../files/body/markdown.ts'
import { renderDocument } from '../../files/edit/edit-header.ts'
import type { FileChange } from '../commit/journal.ts'
import { inExistingRooms } from '../commit/transact.ts'
import type { Context } from '../context.ts'

/** Over this a transcript stays local, with its hash in the session file (2-files, Transcript). */
const TRANSCRIPT_LIMIT = 1024 * 1024

export function transcriptPath(record: Pick<SessionRecord, 'room' | 'id'>): string {
  return `rooms/${record.room}/transcripts/${record.id}.jsonl`
}

export function sessionPath(record: Pick<SessionRecord, 'room' | 'id'>): string {
  return `rooms/${record.room}/sessions/${record.id}.md`
}

/** The file at the start of a session. */
export function sessionAtStart(context: Context, record: SessionRecord): FileChange {
  return {
    path: sessionPath(record),
    before: record.seat === 'yes' ? (context.look.tree().get(sessionPath(record)) ?? null) : null,
    after: render(context, record, { status: 'running', more: {}, body: '' }),
  }
}

/** The file at its end, the transcript's move into the room, and the oldest session files beyond `keep`. */
export function sessionAtEnd(
  context: Context,
  record: SessionRecord,
  { outcome, keep }: { readonly outcome: Outcome; readonly keep: number },
): FileChange[] {
  const path = sessionPath(record)
  const live = join(context.dir, 'transcripts', `${record.id}.jsonl`)
  const read = context.world.files.read(live, TRANSCRIPT_LIMIT)
  const bytes = read.kind === 'file' ? read.bytes : null
  const mayCommit = context.look.config().transcripts === 'commit' && !isDecoded(context, record)
  const commits = bytes !== null && mayCommit
  const sha256 = commits ? null : hashOf(context, live)
  const transcript = sha256 === null ? {} : { transcript_sha256: sha256 }
  const after = render(context, record, {
    status: statusOf(outcome),
    more: { ended_at: outcome.endedAt, ...transcript },
    body: bodyOf(record, outcome),
  })
  const file = { path, before: context.look.tree().get(path) ?? onDisk(context, path), after }
  const moved = commits
    ? [
        {
          path: transcriptPath(record),
          before: context.look.tree().get(transcriptPath(record)) ?? null,
          after: joined(earlier(context, record), bytes.toString('utf8')),
        },
      ]
    : []
  return [...inExistingRooms(context, [file, ...moved]), ...oldest(context, record, keep)]
}

/** It saw decrypted files (runner/prepare-worktree.ts), which must not get into git by its transcript. */
function isDecoded({ world, dir }: Context, record: SessionRecord): boolean {
  const note = world.files.readJson(join(dir, 'sessions', record.id, 'place.json'))
  return (note as { readonly decoded?: unknown } | null)?.decoded === 'yes'
}

/** In a renamed room that is not committed yet, the file is on disk but not in the tree. */
function onDisk({ world, home }: Context, path: string): string | null {
  const read = world.files.read(join(home, path), MOST_EARLIER)
  return read.kind === 'file' ? world.git.blobId(read.bytes) : null
}

/** The transcript of earlier tasks of an idle session. */
function earlier({ world, home }: Context, record: SessionRecord): string {
  if (record.seat !== 'yes') return ''
  const read = world.files.read(join(home, transcriptPath(record)), MOST_EARLIER)
  return read.kind === 'file' ? read.bytes.toString('utf8') : ''
}

/** The new lines after the earlier ones, none twice: a kill may leave lines that were moved already. */
function joined(before: string, live: string): string {
  if (before === '') return live
  const there = new Set(before.split('\n'))
  const lines = live.split('\n')
  return before + lines.filter((line, index) => !there.has(line) || index === lines.length - 1).join('\n')
}

/** Whether these changes, from `sessionAtEnd`, move the transcript into the room. */
export function movesTranscript(changes: readonly FileChange[], record: SessionRecord): boolean {
  return changes.some(({ path }) => path === transcriptPath(record))
}

export function removeLive({ world, dir }: Context, record: SessionRecord): void {
  world.files.removeTree(join(dir, 'transcripts', `${record.id}.jsonl`))
}

const MOST_EARLIER = 64 * 1024 * 1024
const PART_BYTES = 1024 * 1024

/** SHA-256 of a transcript that stays local; null without one. */
function hashOf({ world }: Context, path: string): string | null {
  const hash = createHash('sha256')
  for (let offset = 0; ; ) {
    const part = world.files.readPart(path, offset, PART_BYTES)
    if (part === null) return null
    if (part.length === 0) return hash.digest('hex')
    hash.update(part)
    offset += part.length
  }
}

function render(
  context: Context,
  record: SessionRecord,
  end: { status: SessionStatus; more: Record<string, string>; body: string },
): string {
  return renderDocument(
    {
      id: record.id,
      task: record.taskId,
      worker: record.worker,
      workspace: record.place.folder === '' ? record.place.repository : record.place.folder,
      branch: record.branch,
      base: record.place.base,
      ...(record.agent === undefined || record.agent.model === '' ? {} : { model: record.agent.model }),
      status: end.status,
      ...usedBy(context, record),
      started_at: record.startedAt,
      ...end.more,
      sandbox: record.agent?.sandbox ?? 'none',
      runner: context.host,
    },
    end.body,
  )
}

/** Usage of its model calls; without `usd` if a price is unknown, because that is not 0. */
export function usedBy(
  { usage }: Context,
  record: SessionRecord,
): { turns: number; usage: { input_tokens: number; output_tokens: number; usd?: number } } {
  const sum = record.agent === undefined ? NO_SUM : usage.ofSession(record.id)
  const input = sum.input + sum.cacheRead + sum.cacheWrite
  const usd = usdOf(sum)
  const cost = usd === null ? {} : { usd }
  return { turns: sum.calls, usage: { input_tokens: input, output_tokens: sum.output, ...cost } }
}

function statusOf(outcome: Outcome): SessionStatus {
  switch (outcome.kind) {
    case 'done':
      return 'completed'
    case 'failed':
      return 'failed'
    case 'parked':
    case 'unknown':
    case 'stopped':
      return 'stopped'
  }
}

function bodyOf(record: SessionRecord, outcome: Outcome): string {
  const head = maskSure(`# ${record.title}\n\nAttempt ${record.attempt} of ${record.taskName}.\n`)
  switch (outcome.kind) {
    case 'done': {
      const report = outcome.report === undefined ? '' : `\n${outcome.report.trim()}\n`
      return `${head}\n## Result\n\n${outcome.result}\n${report}${checksOf(outcome.checks)}`
    }
    case 'failed':
      return `${head}\n## Error\n\n${fenced(outcome.error)}\n${checksOf(outcome.checks)}`
    case 'parked':
      return `${head}\n## Waits\n\n${fenced(outcome.error)}`
    case 'unknown':
      return `${head}\n## Interrupted\n\n${outcome.step}: ${outcome.error}\n`
    case 'stopped':
      return `${head}\nStopped: ${outcome.why}\n`
  }
}

function checksOf(checks: readonly CommandResult[]): string {
  if (checks.length === 0) return ''
  const lines = checks.map(
    (check) =>
      `- \`${check.command}\`: ${check.exitCode === null ? check.ended : `exit ${check.exitCode}`}\n\n${fenced(check.tail)}`,
  )
  return `\n## Checks\n\n${lines.join('\n')}\n`
}

/** A room keeps its last `keep` session files; older ones leave the tree, not history. */
function oldest(context: Context, record: SessionRecord, keep: number): FileChange[] {
  const folder = `rooms/${record.room}/sessions/`
  const own = [...context.look.tree()].filter(
    ([path]) => path.startsWith(folder) && path !== sessionPath(record),
  )
  if (own.length < keep) return []
  const times = new Map(
    context.world.files
      .scan(join(context.home, folder), () => true)
      .map((item) => [folder + item.path, item.mtimeMs]),
  )
  const old = own
    .sort(([a], [b]) => (times.get(a) ?? 0) - (times.get(b) ?? 0))
    .slice(0, own.length - keep + 1)
  return old.map(([path, before]) => ({ path, before, after: null }))
}
