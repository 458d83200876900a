/**
 * Output of commands with its ANSI colours. Colours become eight classes, so that they are readable in both themes.
 * Invariant: nothing of the text is HTML; what is no colour is dropped, and other control characters are shown.
 */
import { useMemo } from 'preact/hooks'
import { visible } from '../text.ts'

export interface AnsiSpan {
  readonly text: string
  /** '' for plain text. */
  readonly look: string
}

const [ESC, BEL] = ['\u001b', '\u0007']
/** Colours and other control sequences; also those that set titles and links. */
const SEQUENCE = new RegExp(
  [
    `${ESC}\\[([0-9;:?]*)[ -/]*([@-~])`,
    `${ESC}\\][^${BEL}${ESC}]*(?:${BEL}|${ESC}\\\\)`,
    `${ESC}[@-Z\\\\-_]`,
  ].join('|'),
  'g',
)
const NAMES = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const

interface Look {
  readonly fore: string
  readonly back: string
  readonly bold: boolean
  readonly dim: boolean
  readonly italic: boolean
  readonly underline: boolean
}

const PLAIN: Look = { fore: '', back: '', bold: false, dim: false, italic: false, underline: false }

export function ansiSpans(text: string): readonly AnsiSpan[] {
  const shown = withoutOverwritten(text)
  const spans: AnsiSpan[] = []
  let [look, from] = [PLAIN, 0]
  const add = (part: string) => {
    if (part !== '') spans.push({ text: part, look: classOf(look) })
  }
  for (const found of shown.matchAll(SEQUENCE)) {
    add(shown.slice(from, found.index))
    from = found.index + found[0].length
    if (found[2] === 'm') look = withCodes(look, (found[1] ?? '').split(/[;:]/).map(Number))
  }
  add(shown.slice(from))
  return spans
}

/** A progress bar writes its line again after a return: only the last one is shown. */
function withoutOverwritten(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(/[^\n]*\r(?=[^\n])/g, '')
}

function withCodes(look: Look, codes: readonly number[]): Look {
  let next = look
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] ?? 0
    if (code === 38 || code === 48) {
      const { name, used } = extended(codes.slice(at + 1))
      next = code === 38 ? { ...next, fore: name } : { ...next, back: name }
      at += used
    } else next = { ...next, ...(code === 0 ? PLAIN : changeOf(code)) }
  }
  return next
}

const SINGLE: Readonly<Record<number, Partial<Look>>> = {
  1: { bold: true },
  2: { dim: true },
  3: { italic: true },
  4: { underline: true },
  7: { back: 'white' },
  22: { bold: false, dim: false },
  23: { italic: false },
  24: { underline: false },
  27: { back: '' },
  39: { fore: '' },
  49: { back: '' },
}

function changeOf(code: number): Partial<Look> {
  const single = SINGLE[code]
  if (single !== undefined) return single
  if ((code >= 30 && code < 38) || (code >= 90 && code < 98)) return { fore: NAMES[code % 10] ?? '' }
  if (code >= 40 && code < 48) return { back: NAMES[code - 40] ?? '' }
  return code >= 100 && code < 108 ? { back: NAMES[code - 100] ?? '' } : {}
}

/** `5;N` or `2;R;G;B`: the nearest of the eight. */
function extended([mode, a = 0, b = 0, c = 0]: readonly number[]): {
  readonly name: string
  readonly used: number
} {
  if (mode === 2) return { name: nearest(a, b, c), used: 4 }
  if (mode !== 5) return { name: '', used: 0 }
  if (a < 16) return { name: NAMES[a % 8] ?? '', used: 2 }
  if (a > 231) return { name: a < 244 ? 'black' : 'white', used: 2 }
  const cube = a - 16
  return { name: nearest(level(cube / 36), level(cube / 6), level(cube)), used: 2 }
}

function level(value: number): number {
  return (Math.floor(value) % 6) * 51
}

function nearest(red: number, green: number, blue: number): string {
  const high = Math.max(red, green, blue) * 0.6
  const index = Number(red > high) + 2 * Number(green > high) + 4 * Number(blue > high)
  return NAMES[high === 0 ? 0 : index] ?? ''
}

function classOf({ fore, back, bold, dim, italic, underline }: Look): string {
  const names = [
    fore === '' ? '' : `f-${fore}`,
    back === '' ? '' : `b-${back}`,
    bold ? 'a-bold' : '',
    dim ? 'a-dim' : '',
    italic ? 'a-italic' : '',
    underline ? 'a-underline' : '',
  ]
  return names.filter((name) => name !== '').join(' ')
}

export function Ansi({ text }: { readonly text: string }) {
  const spans = useMemo(() => ansiSpans(text), [text])
  return (
    <>
      {spans.map(({ text: part, look }, index) =>
        look === '' ? (
          visible(part)
        ) : (
          <span key={index} class={look}>
            {visible(part)}
          </span>
        ),
      )}
    </>
  )
}
