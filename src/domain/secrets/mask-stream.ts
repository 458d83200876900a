/**
 * Masks a text that comes in pieces: what may be the beginning of a literal is held back until the next piece. Invariant
 * 1: all pieces together are the masked whole, however it was cut.
 */
import type { Masker } from './mask-literals.ts'

export interface MaskStream {
  /** What can be shown now. */
  push(piece: string): string
  /** The rest. */
  end(): string
}

/** @param masker asked at each piece: what is known may grow while a text streams in */
export function openMaskStream(masker: () => Masker): MaskStream {
  // The character before says, as the one after does, whether a short literal is alone.
  let before = ''
  let rest = ''
  return {
    push(piece) {
      const text = before + rest + piece
      const { shown, cut } = masker().head(text, before.length)
      if (cut <= before.length) {
        rest += piece
        return ''
      }
      rest = text.slice(cut)
      before = text.slice(cut - 1, cut)
      return shown
    },
    end() {
      const shown = masker()
        .mask(before + rest)
        .slice(before.length)
      rest = ''
      return shown
    },
  }
}
