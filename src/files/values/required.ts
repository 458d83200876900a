/**
 * Keys that a kind of file cannot do without: notes a problem for each that is missing.
 */
import { type Checked, note } from './check-value.ts'

export function needs(on: Checked, known: Readonly<Record<string, unknown>>, names: readonly string[]): void {
  for (const name of names) {
    if (known[name] !== undefined || on.problems.some((problem) => problem.message.startsWith(`${name} `)))
      continue
    note(on, [], {
      code: 'type',
      message: `${name} is missing, want it in the header`,
      hint: `Add a line ${name}: … to the header`,
    })
  }
}
