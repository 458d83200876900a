/** Comments on lines of a diff: typed here, kept over a reload, sent to the agent as one message. */
import { draft } from '../../store/drafts.ts'

export interface LineComment {
  readonly path: string
  readonly side: 'old' | 'new'
  readonly line: number
  /** The line as it was read when the comment began. */
  readonly quote: string
  readonly text: string
}

export type Place = Pick<LineComment, 'path' | 'side' | 'line'>

export interface Comments {
  /** In the order in which they began. Read inside a component, it follows changes. */
  all(): readonly LineComment[]
  at(place: Place): LineComment | undefined
  put(comment: LineComment): void
  remove(place: Place): void
  clear(): void
}

/** @param id of the task */
export function commentsOf(id: string): Comments {
  const stored = draft(`review ${id} comments`)
  const all = () => parsed(stored.value)
  const save = (comments: readonly LineComment[]) => {
    stored.value = comments.length === 0 ? '' : JSON.stringify(comments)
  }
  return {
    all,
    at: (place) => all().find((one) => isAt(one, place)),
    put(comment) {
      const list = all()
      const index = list.findIndex((one) => isAt(one, comment))
      save(index === -1 ? [...list, comment] : list.with(index, comment))
    },
    remove: (place) => save(all().filter((one) => !isAt(one, place))),
    clear: () => save([]),
  }
}

/** Of a diff that is only read. */
export const NO_COMMENTS: Comments = {
  all: () => [],
  at: () => undefined,
  put() {},
  remove() {},
  clear() {},
}

function isAt(a: Place, b: Place): boolean {
  return a.path === b.path && a.side === b.side && a.line === b.line
}

let last: { readonly text: string; readonly comments: readonly LineComment[] } = { text: '', comments: [] }

function parsed(text: string): readonly LineComment[] {
  if (text === last.text) return last.comments
  try {
    const value: unknown = text === '' ? [] : JSON.parse(text)
    last = { text, comments: Array.isArray(value) ? value.filter(isComment) : [] }
  } catch {
    last = { text, comments: [] }
  }
  return last.comments
}

function isComment(value: unknown): value is LineComment {
  if (typeof value !== 'object' || value === null) return false
  const { path, side, line, quote, text } = value as Record<string, unknown>
  const isPlace = typeof path === 'string' && (side === 'old' || side === 'new') && typeof line === 'number'
  return isPlace && typeof quote === 'string' && typeof text === 'string'
}

/** What the agent gets: the words, then each comment under its line. */
export function messageOf(words: string, comments: readonly LineComment[]): string {
  const sorted = written(comments).toSorted((a, b) =>
    a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1,
  )
  const blocks = sorted.map(({ path, side, line, quote, text }) => {
    const where = `\`${path}:${line}\`${side === 'old' ? ' (removed line)' : ''}`
    return `${where}\n> ${quote.trim()}\n\n${text.trim()}`
  })
  return [words.trim(), ...blocks].filter((block) => block !== '').join('\n\n')
}

/** Without those that have no text yet. */
export function written(comments: readonly LineComment[]): readonly LineComment[] {
  return comments.filter(({ text }) => text.trim() !== '')
}
