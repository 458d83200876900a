import { type Checked, note } from './check-value.ts'

/** Adds a problem for each of these keys that is missing. A key with an invalid value has a problem already. */
export function needs(on: Checked, known: Readonly<Record<string, unknown>>, names: readonly string[]): void {
  for (const name of names) {
    if (known[name] !== undefined || on.problems.some(({ message }) => message.startsWith(`${name}: `)))
      continue
    note(on, [], {
      code: 'type',
      message: `missing key "${name}"`,
      hint: `Add a line ${name}: … to the header`,
    })
  }
}
