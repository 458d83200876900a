/** Many warnings of one file share a line, so that they hide neither its errors nor other files. */
import type { Problem } from './problem.ts'
import { grouped } from '../task/depends.ts'

/** The first of each file's warnings, and how many more there are. */
export function onceAFile(warnings: readonly Problem[]): Problem[] {
  return [...grouped(warnings, ({ file }) => file).values()].flatMap(([first, ...others]) => {
    if (first === undefined || others.length === 0) return first ?? []
    const more = `${first.hint === '' ? '' : '; '}and ${others.length} more in this file: neo config check`
    return [{ ...first, hint: `${first.hint}${more}` }]
  })
}
