/** find and grep: files of the workspace by name or topic, and lines in them. */
import { z } from 'zod'
import { below } from '../../domain/agent/confinement.ts'
import { admitting, resolveInside } from './confined-paths.ts'
import { ok, wrong } from './result.ts'
import { type ToolContext, type ToolResult, tool } from './tool.ts'

const MOST = 500

export const find = tool({
  name: 'find',
  summary: 'List files of the workspace: all of them, those that match a glob, or those about a topic.',
  docs: `Files ignored by .gitignore are left out. A glob without "/" matches names in any folder; a leading ! excludes. At most ${MOST} paths.`,
  input: {
    glob: z.array(z.string()).optional().describe('For example *.ts or src/**/*.md'),
    path: z.string().optional().describe('Folder to search'),
    about: z
      .string()
      .optional()
      .describe('Topic of the files, in words; best matches first, as of the base branch'),
    max: z.int().min(1).max(5000).optional().describe('Maximum number of paths'),
  },
  typed: { places: ['glob'], short: { p: 'path', m: 'max' } },
  examples: [
    'find',
    'find "*.test.ts"',
    'find --path=src "**/README.md"',
    'find --about="where prices are parsed"',
  ],
  effect: 'reads',
  run: async ({ glob: globs = [], path = '.', about, max }, context) => {
    if (about !== undefined) return aboutIt(about, Math.min(max ?? MOST_ABOUT, MOST), context)
    const at = resolveInside(context, path, 'read')
    if ('refused' in at) return wrong(`Cannot list ${at.refused}`)
    if (at.kind !== 'folder') return wrong(`Cannot list ${JSON.stringify(path)}: it is not a folder`)
    const found = await context.search.files(context.root, {
      globs,
      path: below(context.root, at.path) ?? '',
      max: max ?? MOST,
      signal: context.signal,
    })
    if ('wrong' in found) return wrong(`Cannot list files: ${found.wrong}`)
    const admit = admitting(context, 'read')
    const paths = found.paths
      .filter((path) => admit(path) === null)
      .map((path) => fromWorkspace(path, context))
    if (paths.length === 0)
      return ok(found.cut ? 'No file found before the limit; search fewer folders' : 'No file found')
    return ok(paths.join('\n') + (found.cut ? '\n[cut at the limit; give a folder or a narrower glob]' : ''))
  },
})

const MOST_ABOUT = 20

/** As the index knows them: of the base branch, so what this session has changed is not in it yet. */
async function aboutIt(topic: string, max: number, context: ToolContext): Promise<ToolResult> {
  const found = (await context.services.files?.(topic, max)) ?? null
  if (found === null) return wrong('Cannot find files by topic: there is no index; use grep')
  const admit = admitting(context, 'read')
  const folder = below(context.root, context.cwd) ?? ''
  const files = found.filter(({ path }) => admit(folder === '' ? path : `${folder}/${path}`) === null)
  if (files.length === 0) return ok('No file found about this; use grep')
  return ok(files.map(({ path, about }) => (about === '' ? path : `${path}: ${about}`)).join('\n'))
}

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
function fromWorkspace(path: string, context: Pick<ToolContext, 'root' | 'cwd'>): string {
  const folder = below(context.root, context.cwd) ?? ''
  if (folder === '') return path
  return below(folder, path) ?? `${'../'.repeat(folder.split('/').length)}${path}`
}

/** Lines of files that may be read; ripgrep decides by other rules. */
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
