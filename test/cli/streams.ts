/** Streams in memory that a command prints to, as a pipe or as a terminal of some width. */
import { Writable } from 'node:stream'

export interface Shown {
  readonly stream: NodeJS.WriteStream
  text(): string
}

/** `columns`: a terminal of this width; absent: a pipe. `on` is called after each write. */
export function shownStream(columns?: number, on: (text: string) => void = () => {}): Shown {
  let text = ''
  const stream = new Writable({
    write(piece: Buffer, _, done) {
      text += piece.toString('utf8')
      done()
      on(text)
    },
  })
  const more = columns === undefined ? {} : { isTTY: true, columns }
  return { stream: Object.assign(stream, more) as unknown as NodeJS.WriteStream, text: () => text }
}
