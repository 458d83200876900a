/** Texts on one line, and the beginnings of long ones: for messages, lists and summaries. Pure. */

export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

/** At most so many UTF-16 units, of which the last says that more was there; never half a character. */
export function cut(text: string, most: number): string {
  return text.length <= most ? text : `${beginning(text, most - 1)}…`
}

/** The first units of a text, without the half of a character at the end: no server takes such a text. */
export function beginning(text: string, most: number): string {
  return text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '')
}
