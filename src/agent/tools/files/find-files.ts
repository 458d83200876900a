/**
 * find: files of the workspace by name, or by what they are about. With `about`: from the home's index, best first.
 */
import { below } from '../../../domain/agent/confinement.ts'
import { admitting, resolveInside } from '../confined-paths.ts'
import { fromWorkspace, listOf } from './grep.ts'
import { ok, wrong } from '../result.ts'
import type { Arguments, Tool, ToolContext, ToolResult } from '../tool.ts'

const MOST = 500

export const find: Tool = {
  name: 'find',
  summary: 'List files of the workspace: all of them, those that match a glob, or those about a topic.',
  docs: `Files ignored by .gitignore are left out. A glob without "/" matches names in any folder; a leading ! excludes. At most ${MOST} paths.`,
  params: [
    {
      name: 'glob',
      type: 'strings',
      doc: 'For example *.ts or src/**/*.md',
      required: 'no',
      typed: 'positional',
    },
    { name: 'path', type: 'string', doc: 'Folder to search', required: 'no', typed: 'flag', short: 'p' },
    {
      name: 'about',
      type: 'string',
      doc: 'Topic of the files, in words; best matches first, as of the base branch',
      required: 'no',
      typed: 'flag',
    },
    {
      name: 'max',
      type: 'integer',
      doc: 'Maximum number of paths',
      required: 'no',
      typed: 'flag',
      short: 'm',
      least: 1,
      most: 5000,
    },
  ],
  examples: [
    'find',
    'find "*.test.ts"',
    'find --path=src "**/README.md"',
    'find --about="where prices are parsed"',
  ],
  effect: 'reads',
  run: async (args, context) => {
    if (args['about'] !== undefined) return aboutIt(args, context)
    const at = resolveInside(context, String(args['path'] ?? '.'), 'read')
    if ('refused' in at) return wrong(`Cannot list ${at.refused}`)
    if (at.kind !== 'folder') return wrong(`Cannot list ${JSON.stringify(args['path'])}: it is not a folder`)
    const found = await context.search.files(context.root, {
      globs: listOf(args['glob']),
      path: below(context.root, at.path) ?? '',
      max: Number(args['max'] ?? MOST),
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
}

const MOST_ABOUT = 20

/** As the index knows them: of the base branch, so what this session has changed is not in it yet. */
async function aboutIt(args: Arguments, context: ToolContext): Promise<ToolResult> {
  const max = Math.min(Number(args['max'] ?? MOST_ABOUT), MOST)
  const found = (await context.services.files?.(String(args['about']), max)) ?? null
  if (found === null) return wrong('Cannot find files by topic: there is no index; use grep')
  const admit = admitting(context, 'read')
  const folder = below(context.root, context.cwd) ?? ''
  const files = found.filter(({ path }) => admit(folder === '' ? path : `${folder}/${path}`) === null)
  if (files.length === 0) return ok('No file found about this; use grep')
  return ok(files.map(({ path, about }) => (about === '' ? path : `${path}: ${about}`)).join('\n'))
}
