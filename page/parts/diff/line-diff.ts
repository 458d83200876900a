/** Which lines two texts share. Pure; for small texts, such as memories and their earlier versions. */

export interface DiffLine {
  readonly kind: 'same' | 'add' | 'del'
  readonly text: string
}

/** Beyond this many lines on both sides together, everything between the common ends counts as changed. */
const MOST_LINES = 2_000

export function lineDiff(before: string, after: string): readonly DiffLine[] {
  const [old, now] = [linesOf(before), linesOf(after)]
  let head = 0
  while (head < old.length && head < now.length && old[head] === now[head]) head++
  let tail = 0
  while (tail < old.length - head && tail < now.length - head && old.at(-1 - tail) === now.at(-1 - tail))
    tail++
  const [a, b] = [old.slice(head, old.length - tail), now.slice(head, now.length - tail)]
  const same = (lines: readonly string[]): DiffLine[] => lines.map((text) => ({ kind: 'same', text }))
  return [...same(old.slice(0, head)), ...between(a, b), ...same(old.slice(old.length - tail))]
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n')
}

/** By the longest common subsequence. */
function between(a: readonly string[], b: readonly string[]): readonly DiffLine[] {
  const all = (kind: 'add' | 'del', lines: readonly string[]): DiffLine[] =>
    lines.map((text) => ({ kind, text }))
  if (a.length + b.length > MOST_LINES) return [...all('del', a), ...all('add', b)]
  const width = b.length + 1
  const longest = new Uint16Array((a.length + 1) * width)
  const at = (i: number, j: number) => longest[i * width + j] ?? 0
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      longest[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  const lines: DiffLine[] = []
  let [i, j] = [0, 0]
  while (i < a.length && j < b.length) {
    const text = a[i] ?? ''
    if (text === b[j]) {
      lines.push({ kind: 'same', text })
      i++
      j++
    } else if (at(i + 1, j) >= at(i, j + 1)) lines.push({ kind: 'del', text: a[i++] ?? '' })
    else lines.push({ kind: 'add', text: b[j++] ?? '' })
  }
  return [...lines, ...all('del', a.slice(i)), ...all('add', b.slice(j))]
}
