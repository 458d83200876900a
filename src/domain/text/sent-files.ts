/**
 * Files that people send to the Neo of a room, as the text of their message names them. Pure. Invariant 1: a text names
 * a file by a random name in the folder of its own room, so no text can name a file of somebody's private chat.
 */

export interface SentFile {
  /** `3f9a….png`: its name in the folder of the room. */
  readonly id: string
  /** As the sender called it. */
  readonly name: string
  readonly type: string
  readonly bytes: number
}

const ID = '[0-9a-f]{24}\\.[a-z0-9]{2,4}'
export const SENT_ID = new RegExp(`^${ID}$`)
/** Every part is bounded: the text is somebody's, and a search that looks back far would hold up everybody. */
const SENT = new RegExp(
  `\\[(?:image|file) received: ([^\\n\\]]{1,120}?), ([\\w.+-]{1,60}/[\\w.+-]{1,60}), (\\d{1,12}) bytes(?:; you can't see it)?\\]\\(neo-file:(${ID})\\)`,
  'g',
)

/** The line at the end of a message. */
export function sentLine({ id, name, type, bytes }: SentFile): string {
  const kind = isPicture(type) ? 'image' : 'file'
  const unseen = kind === 'image' ? '' : "; you can't see it"
  return `[${kind} received: ${plainName(name)}, ${type}, ${bytes} bytes${unseen}](neo-file:${id})`
}

/** A name without what would end the line or hide something; never empty. */
export function plainName(name: string): string {
  const plain = name
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}[\]()<>,/\\]/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return [...plain].slice(0, 100).join('') || 'file'
}

export function isPicture(type: string): boolean {
  return /^image\/(?:png|jpeg|gif|webp)$/.test(type)
}

/** A message without the lines that name its files, and the files. */
export function splitSent(text: string): { readonly text: string; readonly files: readonly SentFile[] } {
  if (!text.includes('(neo-file:')) return { text: text.trim(), files: [] }
  const files = [...text.matchAll(SENT)].map(
    ([, name = '', type = '', bytes = '', id = '']): SentFile => ({ id, name, type, bytes: Number(bytes) }),
  )
  return { text: text.replaceAll(SENT, '').trim(), files }
}

/** Relative to `<git dir>/neo`. */
export function sentFolder(room: string): string {
  return `chat/${room}/media`
}

/** The images of a message, as its trigger names them. */
export function sentImages(
  room: string,
  text: string,
): readonly { readonly type: string; readonly path: string }[] {
  return splitSent(text)
    .files.filter(({ type }) => isPicture(type))
    .map(({ type, id }) => ({ type, path: `${sentFolder(room)}/${id}` }))
}
