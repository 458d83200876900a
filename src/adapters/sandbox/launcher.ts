/**
 * What runs around bwrap and in it, before the command: a shell outside hands bwrap the content of files and watches
 * limits; inside, limits are set and abstract sockets blocked. Invariants: 1. bwrap replaces the shell, so process id,
 * standard input, signals and exit code are its own; 2. the watch runs outside the sandbox, where no process inside can
 * see or stop it, and ends with bwrap; 3. a command over a limit is killed whole, by the first process of its namespace,
 * and its output names the limit. Memory is the resident memory; above the limit, shared pages are counted once (Pss).
 * Files in memory that no process maps only show in the machine's Shmem.
 */
import type { Limits } from '../../domain/home/home-config.ts'
import type { Confinement } from '../../ports/sandbox-port.ts'

interface PidsGroup {
  /** Names the group; removes groups of commands that were killed together with their watch. */
  readonly find: string
  /** Moves this shell, and so its children, into the group. */
  readonly enter: string
  /** Removes it after the last process in it. */
  readonly remove: string
}

const NO_GROUP: PidsGroup = { find: '', enter: '', remove: '' }

/** @param most processes and threads together */
function pidsGroup(most: number): PidsGroup {
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

/** A fork bomb makes some thousand processes in this time. */
const LOOK_S = 0.1
/** The disk is checked every fifth time: that takes a process. */
const DISK_TURNS = 5
/** Kept free for other programs. */
const RESERVE_KB = 512 * 1024
/** A command that has written less than this is not what fills the disk. */
const LITTLE_KB = 16 * 1024
const BLOCK_BYTES = 512

interface Launched {
  readonly argv: readonly string[]
  readonly data: readonly string[]
  readonly limits: Limits | undefined
  readonly watched: Confinement['write']
  /** The kernel counts the processes of the namespace's user separately; not for root. */
  readonly counted: boolean
}

export function launched({ argv, data, limits, watched, counted }: Launched): readonly [string, ...string[]] {
  const [program = 'bwrap', ...rest] = argv
  if (data.length === 0 && limits === undefined) return [program, ...rest]
  const fed = data.map((_, at) => `exec ${9 - at}<<NEO_DATA\n$${at + 1}\nNEO_DATA\n`).join('')
  const [folder = '/'] = watched
  const bounds = limits === undefined ? '' : watch(limits, counted ? NO_GROUP : pidsGroup(tasksOf(limits)))
  const script = `${fed}shift ${data.length}\nneo_top=$1\nshift\n${bounds}exec "$@"\n`
  return ['/bin/sh', '-c', script, 'neo-sandbox', ...data, folder, program, ...rest]
}

function watch({ processes, memory, disk }: Limits, group: PidsGroup): string {
  const [diskKb, memoryKb] = [disk, memory].map((bytes) => Math.floor(bytes / 1024)) as [number, number]
  return `
ulimit -c 0
ulimit -f ${Math.floor(disk / BLOCK_BYTES)}
neo_stop() {
  printf 'neo: stopped this command: %s (%s in neo.yaml)\\n' "$1" "$2" >&3
  kill -KILL "$neo_kid"
  neo_end
}
neo_end() {
  exec 3>&-${group.remove}  exit
}
neo_disk() {
  neo_used= neo_free=
  { read -r neo_a; read -r neo_a neo_b neo_used neo_free neo_rest; } <<NEO_DF
$(df -Pk "$neo_top")
NEO_DF
  case $neo_used$neo_free in '' | *[!0-9]*) return ;; esac
  : "\${neo_first:=$neo_used}" "\${neo_mark:=$neo_used}"
  neo_reserve=$((neo_b / 20))
  [ $neo_reserve -gt ${RESERVE_KB} ] && neo_reserve=${RESERVE_KB}
  [ "$neo_free" -lt $neo_reserve ] && [ $((neo_used - neo_first)) -gt ${LITTLE_KB} ] &&
    neo_stop "the disk is nearly full" "free some space, or set sandbox.disk lower"
  [ $((neo_used - neo_mark)) -gt ${Math.floor(diskKb / 8)} ] || return
  neo_mark=$neo_used
  neo_size=$($neo_fair du -skx "$neo_top")
  [ "\${neo_size%%[!0-9]*}" -gt ${diskKb} ] && neo_stop "its folder is larger than ${sizeText(disk)}" "sandbox.disk"
}
neo_look() {
  set -- /proc/$neo_kid/root/proc/[0-9]*
  [ $# -gt ${processes} ] && neo_stop "more than ${processes} processes" "sandbox.processes"
  neo_kb=0
  for neo_one; do
    neo_resident=0
    read -r neo_a neo_resident neo_rest <"$neo_one/statm"
    neo_kb=$((neo_kb + neo_resident * neo_page))
  done
  [ $neo_kb -gt ${memoryKb} ] && neo_precise "$@"
}
neo_precise() {
  neo_kb=0
  for neo_one; do
    while read -r neo_a neo_b neo_rest; do
      [ "$neo_a" = Pss: ] && neo_kb=$((neo_kb + neo_b)) && break
    done <"$neo_one/smaps_rollup"
  done
  [ $neo_kb -gt ${memoryKb} ] && neo_stop "$neo_memory" sandbox.memory
}
neo_shmem() {
  while read -r neo_a neo_b neo_rest; do
    [ "$neo_a" = Shmem: ] && break
  done </proc/meminfo
  : "\${neo_before:=$neo_b}"
  [ $((neo_b - neo_before)) -gt ${memoryKb} ] && neo_stop "$neo_memory" sandbox.memory
}
neo_watch() {
  cd /
  neo_page=$(($(getconf PAGESIZE || echo 4096) / 1024))
  neo_memory="more than ${sizeText(memory)} of memory"
  neo_turn=0 neo_first= neo_mark= neo_before= neo_kid= neo_fair=
  # Scheduled before all ordinary processes, so that thousands of them can't stop the watch. Only root may do this; for
  # other users the kernel limits processes.
  read -r neo_self neo_rest </proc/self/stat
  chrt -r -p 1 "$neo_self" && neo_fair='chrt -o 0'
  neo_disk
  neo_shmem
  while :; do
    # If a command has used up all processes, sleep can't start, and the next check comes at once.
    sleep ${LOOK_S}
    read -r neo_self neo_a neo_b neo_parent neo_rest </proc/self/stat
    [ "$neo_parent" = $$ ] || neo_end
    neo_kids=
    read -r neo_kids </proc/$$/task/$$/children
    neo_turn=$((neo_turn + 1))
    for neo_kid in $neo_kids; do
      [ /proc/$neo_kid/root/proc/1/ns/pid -ef /proc/$neo_kid/ns/pid ] || continue
      [ $((neo_turn % ${DISK_TURNS})) = 0 ] && neo_disk
      neo_shmem
      neo_look
    done
  done
}
${group.find}(
  exec 3>&2 </dev/null >/dev/null 2>&1
  neo_watch
) &${group.enter}{ echo 1000 >/proc/self/oom_score_adj; } 2>/dev/null
`
}

/** As in neo.yaml. */
export function sizeText(bytes: number): string {
  const [unit, name] = bytes >= 1000 ** 3 ? [1000 ** 3, 'GB'] : [1000 ** 2, 'MB']
  return `${Number((bytes / unit).toFixed(1))} ${name}`
}

/** The kernel counts threads as processes. */
const TASKS_A_PROCESS = 8

function tasksOf({ processes }: Limits): number {
  return processes * TASKS_A_PROCESS
}

/**
 * Landlock's scope for abstract sockets (Linux 6.12): with the host's network, a command could otherwise connect to those
 * of the host, such as the session bus. Perl is on every system, and can make a system call by its number.
 */
const NO_ABSTRACT_SOCKETS = `
my $ruleset = pack("QQQ", 0, 0, 1);
my $fd = syscall(444, $ruleset, length($ruleset), 0);
if ($fd < 0 || syscall(446, $fd, 0) != 0) { print STDERR "neo: abstract sockets cannot be closed off\\n"; exit 125 }
exec { $ARGV[0] } @ARGV;
print STDERR "bwrap: execvp $ARGV[0]: $!\\n";
exit 127`

interface Inner {
  readonly limits: Limits | undefined
  readonly network: Confinement['network']
  /** As in `Launched`. */
  readonly counted: boolean
  /** The kernel can block abstract sockets. */
  readonly scoped: boolean
}

export function innerArguments(argv: readonly string[], inner: Inner): readonly string[] {
  const { limits, network, counted, scoped } = inner
  const walled = network === 'allow' && scoped ? ['perl', '-e', NO_ABSTRACT_SOCKETS, '--', ...argv] : argv
  if (limits === undefined || !counted) return walled
  const most = tasksOf(limits)
  const script = `{ ulimit -u ${most} || ulimit -p ${most}; } 2>/dev/null; exec "$@"`
  return ['/bin/sh', '-c', script, 'neo-sandbox', ...walled]
}
