/** How well what somebody types fits a name. Pure. */

/** In lower case, at most MOST words. */
export function typedWords(text: string): readonly string[] {
  return text.toLowerCase().split(/\s+/).filter(Boolean).slice(0, MOST)
}

const MOST = 8

/**
 * 0: not all words are in it. Else more for words at its beginning, then for beginnings of its words, then for any place.
 * @param rest what else may hold the words, such as an id or a room
 */
export function fitOf(words: readonly string[], name: string, rest = ''): number {
  const [own, other] = [name.toLowerCase(), rest.toLowerCase()]
  let sum = 0
  for (const word of words) {
    const at = own.indexOf(word)
    if (at === 0) sum += 4
    else if (at > 0 && !/[\p{L}\p{N}]/u.test(own[at - 1] ?? '')) sum += 3
    else if (at > 0) sum += 2
    else if (other.includes(word)) sum += 1
    else return 0
  }
  return words.length === 0 ? 0 : sum / words.length
}
