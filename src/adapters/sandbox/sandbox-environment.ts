/**
 * The environment of a confined command, as arguments of bwrap. Invariant 1: only values that are no secrets stand on
 * the command line, which every user of the machine can read; the rest comes with the environment that bwrap is started
 * with. Invariant 2: no variable of the daemon passes that is not wanted, even where bwrap was started with all of them.
 */

/** Names whose values say nothing that others may not know. */
const PUBLIC =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|TZ|TERM|TMPDIR|LC_[A-Z]+|NEO_(SESSION|TASK|ROOM|HOME))$/

export function environmentArguments(
  wanted: Readonly<Record<string, string>>,
  daemon: readonly string[],
): readonly string[] {
  const foreign = daemon.filter((name) => !Object.hasOwn(wanted, name) && name !== '' && !name.includes('='))
  const open = Object.entries(wanted).filter(([name]) => PUBLIC.test(name))
  return [
    ...foreign.flatMap((name) => ['--unsetenv', name]),
    ...open.flatMap(([name, value]) => ['--setenv', name, value]),
    // The repository is read-only in there: git must not try to write its index by the way.
    ...['--setenv', 'GIT_OPTIONAL_LOCKS', '0'],
  ]
}
