/** Words of commands that people copy, or that a shell runs. */

/** A word for a POSIX shell, in quotes if it needs them. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
