/**
 * The request file, `rooms/<room>/asks/<id>.md`, and the answer in the body of a question. Invariant 1: anything that
 * can't be read as a decision leaves the request open. Invariant 2: an answer is the text of one section `## Answer`;
 * if two differ, neither counts.
 */
import { ASK_DECISIONS, type Ask } from '../../domain/ask/ask.ts'
import { type Block, scanBody } from '../body/markdown.ts'
import { eolOf, type Read } from '../header/read-header.ts'
import type { CheckContext } from '../values/check-value.ts'
import {
  camelKeys,
  createdBy,
  id,
  bookkeeping,
  nonEmptyText,
  withoutUndefined,
} from '../values/header-values.ts'
import { baseName, type Covers, needs, readKind } from '../values/kind.ts'
import { anything, choice, describe, type Infer, keys, map, text, textList } from '../values/shape.ts'
import { time, utcOf } from '../values/times.ts'

export const askShape = keys({
  kind: describe('Approval request or question.', choice('approval', 'question')),
  session: describe('Session that asks.', id),
  task: describe('Task that the request is about.', id),
  action: describe(
    'What an approval allows.',
    keys({
      tool: describe('Name of the tool.', nonEmptyText),
      arguments: describe('Arguments of the tool.', map(anything())),
      files: describe('Workspace files that the arguments name.', textList(nonEmptyText)),
      sha256: describe(
        'Hash of tool, arguments and files. If they change after the request, Neo asks again.',
        text(),
      ),
    }),
  ),
  reason: describe('Reason in one line.', text()),
  expires_at: describe('Time after which an unanswered request is denied.', time),
  decision: describe('Your decision. Answer a question under `## Answer` instead.', choice(...ASK_DECISIONS)),
  decided_by: describe('Who decided the request.', text()),
  decided_at: describe('Time of the decision.', time),
  handled_at: describe('Time at which Neo acted on the decision.', time),
  neo: bookkeeping({ created_by: createdBy }),
})
type AskGiven = Infer<typeof askShape>

/** The id is that of the header, else the file name. Local times are read in `zone`. */
export function readAsk(file: string, bytes: Buffer | string, zone = 'UTC'): Read<Ask> {
  return readKind(file, bytes, {
    shape: askShape,
    build: (known, doc, on) => {
      const ask = buildAsk(known, doc.body, { file, zone, on })
      warnOfAnswer(on, ask, doc.bodyLine)
      return ask
    },
  })
}

function buildAsk(
  known: AskGiven,
  body: string,
  at: { file: string; zone: string; on: CheckContext },
): Covers<Ask, AskGiven, { neo: 'id' }, 'createdBy' | 'createdAt' | 'answer' | 'body'> {
  needs(at.on, known, ['kind'])
  const utc = (value: string | undefined) => utcOf(value, at.zone)
  const { action, expires_at, decided_at, handled_at, neo, ...same } = known
  return {
    id: neo?.id ?? baseName(at.file),
    kind: 'approval',
    reason: '',
    decision: 'pending',
    ...camelKeys(same),
    action: { tool: '', arguments: {}, files: [], sha256: '', ...camelKeys(action ?? {}) },
    ...withoutUndefined<Partial<Ask>>({
      expiresAt: utc(expires_at),
      decidedAt: utc(decided_at),
      handledAt: utc(handled_at),
      createdBy: neo?.created_by,
      createdAt: utc(neo?.created_at),
      answer: known.kind === 'question' ? answerOf(body) : undefined,
    }),
    body,
  }
}

/** Warns about an open question with an answer in a place where Neo doesn't read it. */
function warnOfAnswer({ file, problems }: CheckContext, ask: Ask, bodyLine: number): void {
  const isOpen = ask.kind === 'question' && ask.handledAt === undefined && ask.decision === 'pending'
  if (!isOpen || ask.answer !== undefined) return
  const isCut = ask.reason.endsWith('…')
  const asked = ask.session === undefined || isCut ? null : ask.reason.replaceAll(/\s+/g, ' ').trim()
  const flaw = answerFlaw(ask.body, asked)
  if (flaw === null) return
  const { message, hint } = flaw
  const line = bodyLine + flaw.line
  problems.push({ file, line, column: 1, severity: 'warning', code: 'answer', message, hint })
}

const HEADING = /^ {0,3}##[ \t]+Answer[ \t]*:?[ \t]*#*[ \t]*$/i
const NEXT = /^ {0,3}#{1,2}[ \t]/
/** What people write instead of that heading. */
const LIKE_HEADING =
  /^ {0,3}(?:#{1,6}[ \t]+(?:my |the |your )?answer\b|(?:\*\*|__)answer\b|answer[ \t]*(?::|$))/i
/** The line in a new question that says where to write. */
const HINT = /^<!--\s*write\b.*-->\s*$/i
const COMMENT = /^<!--.*-->\s*$/

interface Section {
  /** Line of its heading. */
  readonly line: number
  readonly to: number
  readonly text: string
  /** The line of a comment that somebody wrote into; -1 for none. */
  readonly comment: number
}

interface AnswerFlaw {
  readonly line: number
  readonly message: string
  readonly hint: string
}

/** The text under `## Answer`, up to the next heading of its level; undefined without one, or if two differ. */
export function answerOf(body: string): string | undefined {
  const texts = new Set(sectionsOf(body).flatMap(({ text }) => (text === '' ? [] : [text])))
  return texts.size === 1 ? [...texts][0] : undefined
}

/** Where somebody may have written an answer that Neo doesn't read; null for nowhere. */
function answerFlaw(body: string, asked: string | null): AnswerFlaw | null {
  const sections = sectionsOf(body)
  const [, second] = sections.filter(({ text }) => text !== '')
  if (second !== undefined)
    return {
      line: second.line,
      message: 'two different answers under two headings "## Answer"; Neo uses neither',
      hint: 'Keep one of them',
    }
  const commented = sections.find(({ comment }) => comment !== -1)
  if (commented !== undefined)
    return {
      line: commented.comment,
      message: 'the answer is inside a comment; Neo does not read it',
      hint: 'Write it on its own line, without <!-- and -->',
    }
  return elsewhere(body, { sections, asked })
}

/** What would end the section, or not be read as a part of it; `\` before it makes it text, as in Markdown. */
const MARK = /^ {0,3}(?=\\*(?:#{1,2}[ \t]|<!--))/
const ESCAPED = /^( {0,3})\\(?=\\*(?:#{1,2}[ \t]|<!--))/

/** The body with this text under `## Answer` at its end, replacing an old answer. `answerOf` gives the text back. */
export function withAnswer(body: string, answer: string): string {
  const eol = eolOf(body)
  const old = sectionsOf(body)
  const kept = body.split('\n').filter((_, at) => !old.some(({ line, to }) => at >= line && at <= to))
  return [kept.join('\n').trimEnd(), '', '## Answer', '', ...escapedLines(answer.trim()), ''].join(eol)
}

function escapedLines(text: string): readonly string[] {
  const lines = text.split(/\r?\n/)
  for (const [at, line] of lines.entries()) {
    // Scanned again each time: a comment that is escaped hides no fence below it.
    if (MARK.test(line) && !isInside(scanBody(lines.join('\n')).blocks, at))
      lines[at] = line.replace(MARK, '$&\\')
  }
  return lines
}

function isInside(blocks: readonly Block[], line: number): boolean {
  return blocks.some(({ from, to }) => line >= from && line <= to)
}

interface Looked {
  readonly sections: readonly Section[]
  /** The question on one line, if the file was created with it; null if unknown. */
  readonly asked: string | null
}

function elsewhere(body: string, { sections, asked }: Looked): AnswerFlaw | null {
  const { lines, isProse } = scanBody(body)
  const last = sections.at(-1)
  const from = last === undefined ? 0 : last.line + 1
  const hint = 'Write the answer under a line "## Answer"'
  const like = lines.findIndex((line, at) => at >= from && isProse[at] === true && LIKE_HEADING.test(line))
  if (like !== -1)
    return { line: like, message: `"${lines[like]?.trim()}" is not the heading of the answer`, hint }
  if (last === undefined)
    return asked === null
      ? null
      : { line: 0, message: 'the heading "## Answer" is missing; Neo reads no answer', hint }
  const after = lines.findIndex((line, at) => at > last.to && line.trim() !== '' && !NEXT.test(line))
  if (after !== -1)
    return { line: after, message: 'this text is outside of the section "## Answer", which is empty', hint }
  const above = lines.slice(0, sections[0]?.line)
  const isMore = asked !== null && flat(above).startsWith(`${asked} `)
  const line = above.findLastIndex((text) => text.trim() !== '')
  return isMore
    ? {
        line,
        message: 'this text is above the heading "## Answer"; Neo does not read it as the answer',
        hint,
      }
    : null
}

/** In the form that a question has in the reason of its request. */
function flat(lines: readonly string[]): string {
  return lines
    .map((line) => line.replace(/^> ?/, ''))
    .join('\n')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

function sectionsOf(body: string): readonly Section[] {
  if (!/^ {0,3}##[ \t]+Answer/im.test(body)) return []
  const { lines, isProse, blocks } = scanBody(body)
  const isNote = (line: number, text: string) => COMMENT.test(text) && !isInside(blocks, line)
  const starts = lines.flatMap((line, at) => (isProse[at] === true && HEADING.test(line) ? [at] : []))
  return starts.map((line) => {
    const next = lines.findIndex((text, at) => at > line && isProse[at] === true && NEXT.test(text))
    const to = next === -1 ? lines.length : next
    const held = lines.slice(0, to).flatMap((text, at) => {
      if (at <= line || isNote(at, text)) return []
      return [isInside(blocks, at) ? text : text.replace(ESCAPED, '$1')]
    })
    const at = lines.findIndex((text, at) => at > line && at < to && isNote(at, text) && !HINT.test(text))
    return { line, to: to - 1, text: held.join('\n').trim(), comment: at }
  })
}
