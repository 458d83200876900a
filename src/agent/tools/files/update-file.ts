/** update_file: a part of a file, by exact search and replace or by a unified diff. */
import { applyDiff } from '../../../domain/agent/patch.ts'
import { replaceIn } from '../../../domain/agent/replace-text.ts'
import { writeInside } from '../confined-paths.ts'
import { ok, wrong } from '../result.ts'
import { bytesOf, maskRefusal, textOf } from '../text-of.ts'
import type { Arguments, Tool } from '../tool.ts'

type Changed = { readonly text: string } | { readonly wrong: string }

export const updateFile: Tool = {
  name: 'update_file',
  summary: 'Change a part of a file: exact search and replace, or a unified diff.',
  docs: 'Give either search and replace, or diff. The search text has to occur exactly count times (1 if not given), character by character, without line numbers. In a diff, context and removed lines have to match exactly; all hunks apply or none. Line endings of the file are kept.',
  params: [
    {
      name: 'path',
      type: 'string',
      doc: 'Path relative to the workspace',
      required: 'yes',
      typed: 'positional',
    },
    {
      name: 'search',
      type: 'string',
      doc: 'Text to replace, as it is in the file',
      required: 'no',
      typed: 'flag',
    },
    {
      name: 'replace',
      type: 'string',
      doc: 'New text; empty to remove the old one',
      required: 'no',
      typed: 'flag',
    },
    {
      name: 'count',
      type: 'integer',
      doc: 'How often the search text occurs',
      required: 'no',
      typed: 'flag',
      least: 1,
    },
    { name: 'diff', type: 'string', doc: 'Unified diff of this one file', required: 'no', typed: 'flag' },
  ],
  examples: ['update_file --search="retries: 2" --replace="retries: 3" config.yaml'],
  effect: 'changes',
  run: async (args, context) => {
    const path = String(args['path'])
    const change = changeOf(args)
    if ('wrong' in change) return wrong(`Cannot update ${JSON.stringify(path)}: ${change.wrong}`)
    const done = writeInside(context, path, (old) => {
      if (old === null) return { refused: 'does not exist; use write_file to create it' }
      const before = textOf(old)
      if ('wrong' in before) return { refused: before.wrong }
      const after = change.apply(before.text)
      if ('wrong' in after) return { refused: `was not changed: ${after.wrong}` }
      const masked = maskRefusal(before.text, after.text)
      return masked === null ? bytesOf(after.text) : { refused: masked }
    })
    return 'refused' in done ? wrong(`Cannot update: ${done.refused}`) : ok(`Updated ${JSON.stringify(path)}`)
  },
}

function changeOf(
  args: Arguments,
): { readonly apply: (text: string) => Changed } | { readonly wrong: string } {
  const { search, replace, diff, count } = args
  if (diff !== undefined) {
    if (search !== undefined || replace !== undefined)
      return { wrong: 'got both search and diff; give one of them' }
    return { apply: (text) => applyDiff(text, String(diff)) }
  }
  if (search === undefined) return { wrong: 'got neither search nor diff; give one of them' }
  if (replace === undefined)
    return { wrong: '"replace" is missing; expected a string (empty to remove the text)' }
  const what = { search: String(search), replace: String(replace), count: Number(count ?? 1) }
  return { apply: (text) => replaceIn(text, what) }
}
