/**
 * The ask file, `rooms/<room>/asks/<id>.md`: reading it.
 * Takes bytes; gives an Ask, or problems. A question's answer is the text under `## Answer`.
 * Leaves to core/rules: whose decision counts. Invariant 1: what cannot be read as a decision is no decision.
 */
import { ASK_DECISIONS, type Ask } from '../core/model/ask.ts'
import type { Checked } from './check.ts'
import { filled, id } from './fields.ts'
import { baseName, given, readKind } from './kind.ts'
import { scanBody } from './markdown.ts'
import type { Read } from './read.ts'
import { needs } from './required.ts'
import { anything, choice, type Given, keys, map, text, texts } from './shape.ts'
import { instantOf, time } from './times.ts'

export const askShape = keys({
  kind: choice('approval', 'question'),
  session: id,
  task: id,
  action: keys({ tool: filled, arguments: map(anything()), files: texts(filled), sha256: text() }),
  reason: text(),
  expires_at: time,
  decision: choice(...ASK_DECISIONS),
  decided_by: text(),
  decided_at: time,
  handled_at: time,
  neo: keys({ id, created_at: time, created_by: filled }),
})
type AskGiven = Given<typeof askShape>

/** Reads an ask; its file's name stands in for an id. Local times are read in `zone`. */
export function readAsk(file: string, bytes: Buffer | string, zone = 'UTC'): Read<Ask> {
  return readKind(file, bytes, {
    shape: askShape,
    build: (known, doc, on) => buildAsk(known, doc.body, { file, zone, on }),
  })
}

function buildAsk(known: AskGiven, body: string, at: { file: string; zone: string; on: Checked }): Ask {
  needs(at.on, known, ['kind'])
  const utc = (value: string | undefined): string | undefined => instantOf(value ?? '', at.zone) ?? undefined
  return {
    id: known.neo?.id ?? baseName(at.file),
    kind: known.kind ?? 'approval',
    action: {
      tool: known.action?.tool ?? '',
      arguments: known.action?.arguments ?? {},
      files: known.action?.files ?? [],
      sha256: known.action?.sha256 ?? '',
    },
    reason: known.reason ?? '',
    decision: known.decision ?? 'pending',
    ...given<Partial<Ask>>({
      session: known.session,
      task: known.task,
      expiresAt: utc(known.expires_at),
      decidedBy: known.decided_by,
      decidedAt: utc(known.decided_at),
      handledAt: utc(known.handled_at),
      createdBy: known.neo?.created_by,
      answer: known.kind === 'question' ? answerOf(body) : undefined,
    }),
    body,
  }
}

/** The text under `## Answer`, up to the next heading of its level; undefined where there is none. */
function answerOf(body: string): string | undefined {
  if (!/^## +Answer/im.test(body)) return undefined
  const { lines, isProse } = scanBody(body)
  const from = lines.findIndex((line, at) => isProse[at] && /^## +Answer[ \t]*$/i.test(line))
  if (from === -1) return undefined
  const next = lines.findIndex((line, at) => at > from && isProse[at] && /^#{1,2} /.test(line))
  const answer = lines.slice(from + 1, next === -1 ? lines.length : next).filter((line) => !isHint(line))
  return answer.join('\n').trim() || undefined
}

/** A line of our own in a fresh question that says where to write. */
function isHint(line: string): boolean {
  return /^<!--.*-->\s*$/.test(line)
}

/** The body with this text under `## Answer`, whatever stood there. */
export function withAnswer(body: string, answer: string): string {
  const before = body.replace(/^## +Answer[ \t]*$[\s\S]*/im, '').trimEnd()
  return `${before}\n\n## Answer\n\n${answer.trim()}\n`
}
