/** write_file and update_file: a whole file, or a part of it by exact search and replace or by a unified diff. */
import { z } from 'zod'
import { counted } from '../../domain/text/counted.ts'
import { applyDiff } from '../../domain/agent/patch.ts'
import { replaceIn } from '../../domain/agent/replace-text.ts'
import { bytesOf, maskRefusal, textOf, writeInside } from './confined-paths.ts'
import { ok, wrong } from './result.ts'
import { tool } from './tool.ts'

export const writeFile = tool({
  name: 'write_file',
  summary: 'Create a file, or replace all of it.',
  docs: 'Missing folders are created. The content is written as it is: end it with a newline. To change a part of a file use update_file.',
  input: {
    path: z.string().describe('Path relative to the workspace'),
    content: z.string().describe('The complete new content'),
  },
  typed: { places: ['path'], rest: 'content' },
  examples: ['write_file notes/plan.md First measure, then decide.'],
  effect: 'changes',
  run: async ({ path, content }, context) => {
    const done = writeInside(context, path, (old) => {
      const before = old === null ? { text: '' } : textOf(old)
      const masked = maskRefusal('wrong' in before ? '' : before.text, content)
      return masked === null ? bytesOf(content) : { refused: masked }
    })
    if ('refused' in done) return wrong(`Cannot write: ${done.refused}`)
    const lines = content === '' ? 0 : content.replace(/\n$/, '').split('\n').length
    const what = done.before === 'missing' ? 'Created' : 'Replaced'
    return ok(
      `${what} ${JSON.stringify(path)}: ${counted(lines, 'line')}, ${counted(bytesOf(content).length, 'byte')}`,
    )
  },
})

type Changed = { readonly text: string } | { readonly wrong: string }

export const updateFile = tool({
  name: 'update_file',
  summary: 'Change a part of a file: exact search and replace, or a unified diff.',
  docs: 'Give either search and replace, or diff. The search text has to occur exactly count times (1 if not given), character by character, without line numbers. In a diff, context and removed lines have to match exactly; all hunks apply or none. Line endings of the file are kept.',
  input: {
    path: z.string().describe('Path relative to the workspace'),
    search: z.string().optional().describe('Text to replace, as it is in the file'),
    replace: z.string().optional().describe('New text; empty to remove the old one'),
    count: z.int().min(1).optional().describe('How often the search text occurs'),
    diff: z.string().optional().describe('Unified diff of this one file'),
  },
  typed: { places: ['path'] },
  examples: ['update_file --search="retries: 2" --replace="retries: 3" config.yaml'],
  effect: 'changes',
  run: async ({ path, ...how }, context) => {
    const change = changeOf(how)
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
})

interface How {
  readonly search?: string | undefined
  readonly replace?: string | undefined
  readonly count?: number | undefined
  readonly diff?: string | undefined
}

function changeOf({
  search,
  replace,
  diff,
  count = 1,
}: How): { readonly apply: (text: string) => Changed } | { readonly wrong: string } {
  if (diff !== undefined) {
    if (search !== undefined || replace !== undefined)
      return { wrong: 'got both search and diff; give one of them' }
    return { apply: (text) => applyDiff(text, diff) }
  }
  if (search === undefined) return { wrong: 'got neither search nor diff; give one of them' }
  if (replace === undefined)
    return { wrong: '"replace" is missing; expected a string (empty to remove the text)' }
  return { apply: (text) => replaceIn(text, { search, replace, count }) }
}
