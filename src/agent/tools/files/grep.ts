/** grep: lines of the workspace that match a pattern. */

import { below } from '../../../domain/agent/confinement.ts'
import { admitting, resolveInside } from '../confined-paths.ts'
import { ok, wrong } from '../result.ts'
import type { Tool, ToolContext } from '../tool.ts'

const MOST_LINES = 500
/** A search that takes longer is too wide. */
const LIMIT_MS = 20_000

export const grep: Tool = {
  name: 'grep',
  summary: 'Find lines that match a pattern in the files of the workspace.',
  docs: `The pattern is a regular expression without look-around and back-references; with fixed it is plain text. Files ignored by .gitignore are left out. At most ${MOST_LINES} lines.`,
  params: [
    { name: 'pattern', type: 'string', doc: 'Pattern to search for', required: 'yes', typed: 'positional' },
    { name: 'path', type: 'string', doc: 'File or folder to search', required: 'no', typed: 'positional' },
    {
      name: 'ignore_case',
      type: 'boolean',
      doc: 'Ignore the case of letters',
      required: 'no',
      typed: 'flag',
      short: 'i',
    },
    {
      name: 'fixed',
      type: 'boolean',
      doc: 'The pattern is plain text',
      required: 'no',
      typed: 'flag',
      short: 'F',
    },
    {
      name: 'line_numbers',
      type: 'boolean',
      doc: 'Show line numbers; default true',
      required: 'no',
      typed: 'flag',
      short: 'n',
    },
    {
      name: 'glob',
      type: 'strings',
      doc: 'Only files that match, for example *.ts; a leading ! excludes',
      required: 'no',
      typed: 'flag',
      short: 'g',
    },
    {
      name: 'context',
      type: 'integer',
      doc: 'Lines around each match',
      required: 'no',
      typed: 'flag',
      short: 'C',
      least: 0,
      most: 20,
    },
    {
      name: 'max_lines',
      type: 'integer',
      doc: 'Maximum number of lines',
      required: 'no',
      typed: 'flag',
      short: 'm',
      least: 1,
      most: 5000,
    },
  ],
  examples: ['grep -n deadline src', 'grep -i -g "*.md" "release notes"', 'grep --fixed "a.b(" src/main.ts'],
  effect: 'reads',
  run: async (args, context) => {
    const at = resolveInside(context, String(args['path'] ?? '.'), 'read')
    if ('refused' in at) return wrong(`Cannot search ${at.refused}`)
    if (at.kind === 'missing')
      return wrong(`Cannot search ${JSON.stringify(args['path'])}: it does not exist`)
    if (at.kind === 'other')
      return wrong(`Cannot search ${JSON.stringify(args['path'])}: it is not a regular file`)
    const found = await context.search.grep({
      root: context.root,
      pattern: String(args['pattern']),
      fixed: args['fixed'] === true,
      ignoreCase: args['ignore_case'] === true,
      globs: listOf(args['glob']),
      context: Number(args['context'] ?? 0),
      path: below(context.root, at.path) ?? '',
      maxLines: Number(args['max_lines'] ?? MOST_LINES),
      ms: LIMIT_MS,
      signal: context.signal,
    })
    if ('wrong' in found) return wrong(`Cannot search: ${found.wrong}`)
    const lines = shown(found.lines, context, args['line_numbers'] !== false)
    if (lines.length === 0)
      return ok(found.cut ? 'No match before the limit; search fewer files' : 'No match')
    return ok(
      lines.join('\n') + (found.cut ? '\n[cut at the limit; search fewer files, or raise max_lines]' : ''),
    )
  },
}

export function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : []
}

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
