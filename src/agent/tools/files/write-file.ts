/** write_file: a whole file, made or replaced. */
import { z } from 'zod'
import { writeInside } from '../confined-paths.ts'
import { ok, wrong } from '../result.ts'
import { bytesOf, maskRefusal, textOf } from '../text-of.ts'
import { tool } from '../tool.ts'

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
    return ok(`${what} ${JSON.stringify(path)}: ${lines} lines, ${bytesOf(content).length} bytes`)
  },
})
