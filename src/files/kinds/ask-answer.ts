/**
 * The answer in the body of a question: where it is read, and where a person has written it in vain. Pure. Invariant 1:
 * an answer is the text of one section `## Answer`; of two that differ neither is taken for it.
 */
import { scanBody } from '../body/markdown.ts'

const HEADING = /^ {0,3}##[ \t]+Answer[ \t]*:?[ \t]*#*[ \t]*$/i
const NEXT = /^ {0,3}#{1,2}[ \t]/
/** What people write for that heading. */
const LIKE_HEADING =
  /^ {0,3}(?:#{1,6}[ \t]+(?:my |the |your )?answer\b|(?:\*\*|__)answer\b|answer[ \t]*(?::|$))/i
/** A line of our own in a fresh question that says where to write. */
const HINT = /^<!--\s*write\b.*-->\s*$/i
const COMMENT = /^<!--.*-->\s*$/

interface Section {
  /** Line of its heading. */
  readonly line: number
  readonly to: number
  readonly text: string
  /** A comment that is not ours: somebody wrote into it; -1: none. */
  readonly comment: number
}

export interface AnswerFlaw {
  readonly line: number
  readonly message: string
  readonly hint: string
}

/** The text under `## Answer`, up to the next heading of its level; undefined if there is none, or not one alone. */
export function answerOf(body: string): string | undefined {
  const texts = new Set(sectionsOf(body).flatMap(({ text }) => (text === '' ? [] : [text])))
  return texts.size === 1 ? [...texts][0] : undefined
}

/** Why a question without an answer has none although somebody may have written one; null if nothing says so. */
export function answerFlaw(body: string, asked: string | null): AnswerFlaw | null {
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

/** The body with this text under `## Answer`, whatever stood there. */
export function withAnswer(body: string, answer: string): string {
  const [first] = sectionsOf(body)
  const lines = body.split('\n').slice(0, first?.line)
  return `${lines.join('\n').trimEnd()}\n\n## Answer\n\n${answer.trim()}\n`
}

interface Looked {
  readonly sections: readonly Section[]
  /** The question on one line, if the file was made with it; null: not known. */
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

/** As the reason of a request has the question. */
function flat(lines: readonly string[]): string {
  return lines
    .map((line) => line.replace(/^> ?/, ''))
    .join('\n')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

function sectionsOf(body: string): readonly Section[] {
  if (!/^ {0,3}##[ \t]+Answer/im.test(body)) return []
  const { lines, isProse } = scanBody(body)
  const starts = lines.flatMap((line, at) => (isProse[at] === true && HEADING.test(line) ? [at] : []))
  return starts.map((line) => {
    const next = lines.findIndex((text, at) => at > line && isProse[at] === true && NEXT.test(text))
    const to = next === -1 ? lines.length : next
    const held = lines.slice(line + 1, to).filter((text) => !COMMENT.test(text))
    const at = lines.findIndex((text, at) => at > line && at < to && COMMENT.test(text) && !HINT.test(text))
    return { line, to: to - 1, text: held.join('\n').trim(), comment: at }
  })
}
