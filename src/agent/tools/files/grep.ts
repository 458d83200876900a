/** grep: lines of the workspace that match a pattern. */
import { z } from 'zod'

import { below } from '../../../domain/agent/confinement.ts'
import { admitting, resolveInside } from '../confined-paths.ts'
import { ok, wrong } from '../result.ts'
import { type ToolContext, tool } from '../tool.ts'

const MOST_LINES = 500
/** A search that takes longer is too wide. */
const LIMIT_MS = 20_000

export const grep = tool({
  name: 'grep',
  summary: 'Find lines that match a pattern in the files of the workspace.',
  docs: `The pattern is a regular expression without look-around and back-references; with fixed it is plain text. Files ignored by .gitignore are left out. At most ${MOST_LINES} lines.`,
  input: {
    pattern: z.string().describe('Pattern to search for'),
    path: z.string().optional().describe('File or folder to search'),
    ignore_case: z.boolean().optional().describe('Ignore the case of letters'),
    fixed: z.boolean().optional().describe('The pattern is plain text'),
    line_numbers: z.boolean().optional().describe('Show line numbers; default true'),
    glob: z
      .array(z.string())
      .optional()
      .describe('Only files that match, for example *.ts; a leading ! excludes'),
    context: z.int().min(0).max(20).optional().describe('Lines around each match'),
    max_lines: z.int().min(1).max(5000).optional().describe('Maximum number of lines'),
  },
  typed: {
    places: ['pattern', 'path'],
    short: { i: 'ignore_case', F: 'fixed', n: 'line_numbers', g: 'glob', C: 'context', m: 'max_lines' },
  },
  examples: ['grep -n deadline src', 'grep -i -g "*.md" "release notes"', 'grep --fixed "a.b(" src/main.ts'],
  effect: 'reads',
  run: async ({ pattern, path = '.', ...how }, context) => {
    const at = resolveInside(context, path, 'read')
    if ('refused' in at) return wrong(`Cannot search ${at.refused}`)
    if (at.kind === 'missing') return wrong(`Cannot search ${JSON.stringify(path)}: it does not exist`)
    if (at.kind === 'other') return wrong(`Cannot search ${JSON.stringify(path)}: it is not a regular file`)
    const found = await context.search.grep({
      root: context.root,
      pattern,
      fixed: how.fixed === true,
      ignoreCase: how.ignore_case === true,
      globs: how.glob ?? [],
      context: how.context ?? 0,
      path: below(context.root, at.path) ?? '',
      maxLines: how.max_lines ?? MOST_LINES,
      ms: LIMIT_MS,
      signal: context.signal,
    })
    if ('wrong' in found) return wrong(`Cannot search: ${found.wrong}`)
    const lines = shown(found.lines, context, how.line_numbers !== false)
    if (lines.length === 0)
      return ok(found.cut ? 'No match before the limit; search fewer files' : 'No match')
    return ok(
      lines.join('\n') + (found.cut ? '\n[cut at the limit; search fewer files, or raise max_lines]' : ''),
    )
  },
})

/** `path` relative to the worktree's top as it is seen from the workspace's folder. */
export function fromWorkspace(path: string, context: Pick<ToolContext, 'root' | 'cwd'>): string {
  const folder = below(context.root, context.cwd) ?? ''
  if (folder === '') return path
  return below(folder, path) ?? `${'../'.repeat(folder.split('/').length)}${path}`
}

/** Lines of files that may be read; ripgrep has its own idea of that, and this is ours. */
function shown(lines: readonly string[], context: ToolContext, numbers: boolean): readonly string[] {
  const admit = admitting(context, 'read')
  return lines.flatMap((line) => {
    const [, path, mark = ':', number = '', text = ''] = /^([^\n]*?)([:-])(\d+)\2([\s\S]*)$/.exec(line) ?? []
    if (path === undefined) return [line]
    if (admit(path) !== null) return []
    const name = fromWorkspace(path, context)
    return [numbers ? `${name}${mark}${number}${mark}${text}` : `${name}${mark}${text}`]
  })
}
