/**
 * Shell lines that put a command into a control group of its own, where the kernel limits processes and threads: for root,
 * who is exempt from `ulimit -u`. If no such group can be made, they do nothing.
 * Source: Linux, Documentation/admin-guide/cgroup-v1/pids.rst and cgroup-v2.rst (a group that holds processes has no
 * controllers for groups below it, so with version 2 ours is beside the own one).
 */

export interface PidsGroup {
  /** Names the group, and removes those of commands that were killed together with their watch. */
  readonly find: string
  /** Moves this shell into it, and so what it starts. */
  readonly enter: string
  /** Removes it after the last process in it. */
  readonly remove: string
}

export const NO_GROUP: PidsGroup = { find: '', enter: '', remove: '' }

/** @param most processes and threads together */
export function pidsGroup(most: number): PidsGroup {
  return {
    find: `
neo_group=
neo_find() {
  neo_at=
  while IFS=: read -r neo_a neo_b neo_c; do
    case ,$neo_b, in
      *,pids,*) neo_at=/sys/fs/cgroup/pids\${neo_c%/} && break ;;
      ,,) [ -f "/sys/fs/cgroup$neo_c/pids.max" ] && neo_at=/sys/fs/cgroup\${neo_c%/*} ;;
    esac
  done </proc/self/cgroup
  [ -w "$neo_at/cgroup.procs" ] || return
  for neo_a in "$neo_at"/neo-command-*; do
    [ -d "$neo_a" ] && [ ! -d "/proc/\${neo_a##*-}" ] && rmdir "$neo_a"
  done
  neo_group=$neo_at/neo-command-$$
}
{ neo_find; } 2>/dev/null
`,
    enter: `
{ [ -n "$neo_group" ] && mkdir "$neo_group" && echo ${most} >"$neo_group/pids.max" && echo 0 >"$neo_group/cgroup.procs"; } 2>/dev/null
`,
    remove: `
  neo_turn=0
  while [ -d "$neo_group" ] && [ $neo_turn -lt 50 ]; do
    rmdir "$neo_group" && break
    neo_turn=$((neo_turn + 1))
    sleep 0.1
  done
`,
  }
}
