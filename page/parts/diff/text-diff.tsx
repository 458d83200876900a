/** How a small text changes, by lines, with a few unchanged ones around. For files of settings; reviews have diff.tsx. */
import '../../style/settings.css'
import { visible } from '../text.ts'

interface Line {
  readonly kind: 'same' | 'add' | 'del'
  readonly text: string
}

const AROUND = 2
/** Beyond this many lines in the changed part, it is shown as removed and added. */
const MOST = 400

export function TextDiff({ before, after }: { readonly before: string; readonly after: string }) {
  const lines = changedLines(before, after)
  const near = lines.map((_, at) => lines.slice(Math.max(0, at - AROUND), at + AROUND + 1).some(isChange))
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
    <section class="text-diff" aria-label="Changes" tabIndex={0}>
      {lines.map((line, at) => {
        if (near[at] !== true) return near[at - 1] === true ? <span class="gap">…{'\n'}</span> : null
        const sign = { same: ' ', add: '+', del: '-' }[line.kind]
        return <span class={line.kind}>{`${sign} ${visible(line.text)}\n`}</span>
      })}
    </section>
  )
}

function isChange({ kind }: Line): boolean {
  return kind !== 'same'
}

export function changedLines(before: string, after: string): readonly Line[] {
  const [old, now] = [before.split('\n'), after.split('\n')]
  let start = 0
  while (start < old.length && start < now.length && old[start] === now[start]) start++
  let end = 0
  while (end < Math.min(old.length, now.length) - start && old.at(-1 - end) === now.at(-1 - end)) end++
  const same = (text: string): Line => ({ kind: 'same', text })
  return [
    ...old.slice(0, start).map(same),
    ...middle(old.slice(start, old.length - end), now.slice(start, now.length - end)),
    ...old.slice(old.length - end).map(same),
  ]
}

function middle(old: readonly string[], now: readonly string[]): readonly Line[] {
  if (old.length > MOST || now.length > MOST)
    return [
      ...old.map((text) => ({ kind: 'del', text }) as const),
      ...now.map((text) => ({ kind: 'add', text }) as const),
    ]
  const longest = common(old, now)
  const lines: Line[] = []
  let [a, b] = [0, 0]
  while (a < old.length || b < now.length) {
    const [left, right] = [old[a], now[b]]
    if (left !== undefined && left === right) {
      lines.push({ kind: 'same', text: left })
      a++
      b++
    } else if (
      left !== undefined &&
      (right === undefined || at(longest, a + 1, b) >= at(longest, a, b + 1))
    ) {
      lines.push({ kind: 'del', text: left })
      a++
    } else {
      lines.push({ kind: 'add', text: right ?? '' })
      b++
    }
  }
  return lines
}

/** Lengths of the longest common lists of lines from (a, b) on. */
function common(old: readonly string[], now: readonly string[]): readonly (readonly number[])[] {
  const table = Array.from({ length: old.length + 1 }, () => new Array<number>(now.length + 1).fill(0))
  for (let a = old.length - 1; a >= 0; a--)
    for (let b = now.length - 1; b >= 0; b--) {
      const row = table[a]
      if (row === undefined) continue
      row[b] =
        old[a] === now[b] ? at(table, a + 1, b + 1) + 1 : Math.max(at(table, a + 1, b), at(table, a, b + 1))
    }
  return table
}

function at(table: readonly (readonly number[])[], a: number, b: number): number {
  return table[a]?.[b] ?? 0
}
