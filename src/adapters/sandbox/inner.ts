/**
 * What runs inside the sandbox before the command: limits that count there, and the wall to sockets without a path.
 */
import type { Limits } from '../../domain/home/home-config.ts'
import type { Confinement } from '../../ports/sandbox-port.ts'

/** Threads count as processes for the kernel; programs of today have many. */
const TASKS_A_PROCESS = 8

/** Processes and threads that the kernel lets a command have. */
export function tasksOf({ processes }: Limits): number {
  return processes * TASKS_A_PROCESS
}

/**
 * Landlock's scope for abstract sockets (Linux 6.12): with the host's network, a command would else reach those of the
 * host, such as the session bus. Perl is what every system has that can make a system call by its number.
 */
const NO_ABSTRACT_SOCKETS = `
my $ruleset = pack("QQQ", 0, 0, 1);
my $fd = syscall(444, $ruleset, length($ruleset), 0);
if ($fd < 0 || syscall(446, $fd, 0) != 0) { print STDERR "neo: abstract sockets cannot be closed off\\n"; exit 125 }
exec { $ARGV[0] } @ARGV;
print STDERR "bwrap: execvp $ARGV[0]: $!\\n";
exit 127`

export interface Inner {
  readonly limits: Limits | undefined
  readonly network: Confinement['network']
  /** The user's processes are counted apart in here. */
  readonly counted: boolean
  /** The kernel can close off abstract sockets. */
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
