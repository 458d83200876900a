/** One line a file: a file with many warnings hides neither its neighbours nor its errors. */
import type { Problem } from '../model/problem.ts'
import { grouped } from './depends.ts'

/** The first of each file's warnings, and how many more there are. */
export function onceAFile(warnings: readonly Problem[]): Problem[] {
  return [...grouped(warnings, ({ file }) => file).values()].flatMap(([first, ...others]) => {
    if (first === undefined || others.length === 0) return first ?? []
    const more = `${first.hint === '' ? '' : '; '}and ${others.length} more in this file: neo config check`
    return [{ ...first, hint: `${first.hint}${more}` }]
  })
}
