/** read_file: lines of a file, numbered, a part at a time. */
import { z } from 'zod'
import { counted } from '../../domain/text/counted.ts'
import { readInside, textOf } from './confined-paths.ts'
import { OUTPUT_LIMIT, ok, wrong } from './result.ts'
import { type ToolResult, tool } from './tool.ts'

const DEFAULT_LINES = 2000
/** Letters of a line; longer ones are made by machines. */
const LINE_LIMIT = 2000
/** What the note at the end takes of the limit. */
const NOTE = 200

export const readFile = tool({
  name: 'read_file',
  summary: 'Read a file of the workspace, with line numbers.',
  docs: `Returns at most ${DEFAULT_LINES} lines and ${OUTPUT_LIMIT} characters at a time, and says how to continue. The number and the tab at the start of a line are not part of the file. For binary or huge files use shell.`,
  input: {
    path: z.string().describe('Path relative to the workspace'),
    start: z.int().min(1).optional().describe('First line; lines count from 1'),
    lines: z.int().min(1).optional().describe('How many lines'),
  },
  typed: { places: ['path'], short: { s: 'start', n: 'lines' } },
  examples: ['read_file src/main.ts', 'read_file --start=120 --lines=40 src/main.ts'],
  effect: 'reads',
  run: async ({ path, start = 1, lines: most = DEFAULT_LINES }, context) => {
    const found = readInside(context, path)
    if (found.kind !== 'file') return wrong(`Cannot read ${found.refused}${hintFor(found.kind)}`)
    const read = textOf(found.bytes)
    if ('wrong' in read)
      return wrong(`Cannot read ${JSON.stringify(path)}: it ${read.wrong}; use shell to inspect it`)
    return page(read.text, { start, most })
  },
})

function hintFor(kind: 'folder' | 'missing' | 'refused'): string {
  if (kind === 'folder') return '; use find to list it'
  return kind === 'missing' ? '; use find to search for it' : ''
}

function page(text: string, { start, most }: { readonly start: number; readonly most: number }): ToolResult {
  if (text === '') return ok('(the file is empty)')
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  if (start > lines.length)
    return wrong(`Cannot read from line ${start}: the file has ${counted(lines.length, 'line')}`)
  const shown: string[] = []
  let length = 0
  for (let at = start; at < start + most && at <= lines.length; at++) {
    const row = `${String(at).padStart(6)}\t${short(lines[at - 1] ?? '')}`
    if (shown.length > 0 && length + row.length > OUTPUT_LIMIT - NOTE) break
    shown.push(row)
    length += row.length + 1
  }
  const end = start + shown.length - 1
  if (end === lines.length) return ok(shown.join('\n'))
  return ok(
    `${shown.join('\n')}\n[lines ${start} to ${end} of ${lines.length}; continue with start=${end + 1}]`,
  )
}

function short(line: string): string {
  const plain = line.replace(/\r$/, '')
  if (plain.length <= LINE_LIMIT) return plain
  return `${plain.slice(0, LINE_LIMIT)} [… ${plain.length - LINE_LIMIT} more characters]`
}
