/** The files of a diff with their numbers of added and removed lines, as text for people. Pure. */

/** One line a file: `src/a.ts +12 -3`, `logo.png (binary)`. */
export function statOf(diff: string): readonly string[] {
  return diff
    .split(/^(?=diff --git )/m)
    .filter((part) => part.startsWith('diff --git '))
    .map(lineOf)
}

function lineOf(part: string): string {
  const lines = part.split('\n')
  const name = nameOf(lines)
  if (lines.some((line) => line.startsWith('Binary files '))) return `${name} (binary)`
  const from = lines.findIndex((line) => line.startsWith('@@'))
  const hunks = from < 0 ? [] : lines.slice(from)
  const added = hunks.filter((line) => line.startsWith('+')).length
  const removed = hunks.filter((line) => line.startsWith('-')).length
  const mode = lines.find((line) => /^(?:new|deleted) file mode /.test(line))
  const link = mode?.endsWith('120000') === true ? ' (link)' : ''
  return `${name} +${added} -${removed}${link}`
}

/** The new name; the old one if the file is gone. Git quotes names with special letters, and they stay quoted. */
function nameOf(lines: readonly string[]): string {
  const named = (mark: string) => lines.find((line) => line.startsWith(mark))?.slice(mark.length)
  const renamed = named('rename to ')
  if (renamed !== undefined) return renamed
  for (const mark of ['+++ ', '--- ']) {
    const side = named(mark)?.replace(/\t$/, '')
    if (side !== undefined && side !== '/dev/null') return side.replace(/^("?)[ab]\//, '$1')
  }
  return (lines[0] ?? '').replace(/^diff --git .* ("?)b\//, '$1')
}
