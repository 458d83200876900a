/**
 * find: files of the workspace by name, or by what they are about. With `about`: from the home's index, best first.
 */
import { z } from 'zod'
import { below } from '../../../domain/agent/confinement.ts'
import { admitting, resolveInside } from '../confined-paths.ts'
import { ok, wrong } from '../result.ts'
import { type ToolContext, type ToolResult, tool } from '../tool.ts'
import { fromWorkspace } from './grep.ts'

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
