/**
 * The supervisor: a few lines of `sh`, in a process group of its own, that claim a step, run its command and write the
 * exit code, whatever becomes of the daemon. Invariant 1: the claim is made exclusively and is on disk before the
 * command starts, so a command starts once. Invariant 2: after the claim it looks for `stopped`, and who writes
 * `stopped` looks for the claim afterwards: one of the two sees the other, so a stop never misses a step that is just
 * starting. Invariant 3: the command sees no variable of the supervisor: its names begin with `neo_` and are not
 * exported.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { NeoError } from '../../domain/home/error.ts'
import type { StepRequest } from '../../ports/process-port.ts'

/** Exit codes of the supervisor itself, for the tests: someone else holds the claim; stopped before the command. */
export const SUPERVISOR_EXITS = { claimed: 3, stopped: 4, disk: 5 } as const

/**
 * POSIX sh. `out` is opened before the claim: on a full disk nothing is claimed. The claim is created empty (O_EXCL by
 * noclobber), then filled: a reader that meets it empty waits for the living supervisor. `exit` is one write of at
 * most 4 bytes with a newline as its end mark; if the disk is full the supervisor waits for room.
 * What the shell itself says goes to the null device, so that `out` holds the command's words alone.
 * `began` is made as the last thing before the command: its own time counts from there.
 * TERM before the command ends the supervisor; during it, the command alone, so that its exit code is still written.
 */
export const SUPERVISOR = `
exec >>"$1/out"
trap 'exit ${SUPERVISOR_EXITS.stopped}' TERM
neo_dir=$1 neo_cwd=$2
shift 2
neo_run() { PATH=/usr/bin:/bin\${PATH:+:$PATH} "$@"; }
neo_field() { neo_start=\${20}; }
{ read -r neo_stat </proc/$$/stat && neo_field \${neo_stat##*) }; } 2>/dev/null ||
  neo_start=$(echo $(neo_run env LC_ALL=C ps -o lstart= -p $$ 2>/dev/null))
{ read -r neo_boot </proc/sys/kernel/random/boot_id; } 2>/dev/null
set -C
{ printf '' >"$neo_dir/claim"; } 2>/dev/null || exit ${SUPERVISOR_EXITS.claimed}
set +C
printf '{"pid":%s,"startTime":"%s","bootId":"%s"}\\n' $$ "$neo_start" "$neo_boot" >"$neo_dir/claim" || {
  neo_run rm -f "$neo_dir/claim"
  exit ${SUPERVISOR_EXITS.disk}
}
neo_run sync "$neo_dir/claim" "$neo_dir" "$neo_dir/.." "$neo_dir/../.." 2>/dev/null || neo_run sync
{ printf '' >"$neo_dir/began"; } 2>/dev/null
[ -e "$neo_dir/stopped" ] && exit ${SUPERVISOR_EXITS.stopped}
if cd "$neo_cwd" 2>&1; then
  trap : TERM INT HUP
  (exec "$@" 2>&1)
  neo_code=$?
else
  neo_code=126
fi
until printf '%s\\n' "$neo_code" >"$neo_dir/exit"; do
  [ -d "$neo_dir" ] || exit ${SUPERVISOR_EXITS.disk}
  neo_run sleep 1
done 2>/dev/null
neo_run sync "$neo_dir/exit" "$neo_dir" 2>/dev/null || neo_run sync
`

/**
 * Starts the supervisor of a step whose folder exists. It does not keep this process alive and outlives it.
 * Throws NeoError if no process can be started; then nothing is claimed.
 */
export async function startSupervisor(request: StepRequest): Promise<ChildProcess> {
  try {
    const child = spawnSupervisor(request)
    child.unref()
    await once(child, 'spawn')
    return child
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new NeoError('internal', `Cannot start step in ${request.dir}: ${why}`, { cause })
  }
}

function spawnSupervisor({ dir, cwd, argv, env, session }: StepRequest): ChildProcess {
  return spawn('/bin/sh', ['-c', SUPERVISOR, 'neo-step', dir, cwd, ...argv], {
    cwd: dir,
    detached: true,
    stdio: 'ignore',
    env: { ...env, NEO_SESSION: session },
  })
}
