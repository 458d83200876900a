/** Text of files and agents, made safe and readable. */

const PICTURE = '\\p{Extended_Pictographic}'
const JOINING = ['Arab', 'Beng', 'Deva', 'Gujr', 'Guru', 'Knda', 'Mlym', 'Orya', 'Sinh', 'Taml', 'Telu']
const LETTER = `[${JOINING.map((script) => `\\p{Script=${script}}`).join('')}]`
/** Joiners that spell: between the pictures of one emoji, and between letters of scripts that join. */
const JOINER = `(?<=[${PICTURE}\\p{Emoji_Modifier}\\ufe0f])\\u200d(?=${PICTURE})|(?<=${LETTER})[\\u200c\\u200d](?=${LETTER})`
/** Control characters and direction marks, which could hide or reorder what a person decides about. */
const HIDDEN = new RegExp(`(?!${JOINER})(?![\\n\\t])[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]`, 'gu')

/** Shows hidden characters as escapes, as the command line does. Line ends and tabs stay. */
export function visible(text: string): string {
  return text.replace(HIDDEN, (found) => {
    const code = found.codePointAt(0) ?? 0
    return code < 0x100
      ? `\\x${code.toString(16).padStart(2, '0')}`
      : `\\u${code.toString(16).padStart(4, '0')}`
  })
}

export function firstLine(text: string, most = 200): string {
  const [first = ''] = text.trim().split('\n')
  return visible(first.length > most ? `${first.slice(0, most)}…` : first)
}

/** `1 task`, `2 tasks`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${NUMBER.format(number)} ${number === 1 ? one : many}`
}

const NUMBER = new Intl.NumberFormat('en')

export function number(value: number): string {
  return NUMBER.format(value)
}

/** Small amounts keep two significant digits: `$0.0042`. */
export function usd(value: number): string {
  if (value === 0) return '$0'
  return value < 0.1 ? `$${value.toPrecision(2)}` : `$${value.toFixed(2)}`
}

/** `850 ms`, `42 s`, `3:07`, `2 h 05`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`
  const seconds = Math.floor(ms / 1_000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes}:${pad(seconds % 60)}`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h ${pad(minutes % 60)}` : `${Math.floor(hours / 24)} d ${hours % 24} h`
}

function pad(value: number): string {
  return String(value).padStart(2, '0')
}
